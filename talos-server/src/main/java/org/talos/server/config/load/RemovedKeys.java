// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.util.Map;
import java.util.Set;

/** The keys of earlier versions, so that an old file is refused with a remedy. Immutable. */
final class RemovedKeys {
    private static final Set<String> KEYS = Set.of(
            "dispatch.policy",
            "hdfs.form",
            "http.dispatch",
            "transfer.clientsPerHost",
            "transfer.pools",
            "transfer.threadsPerHost");

    private static final Map<String, String> RENAMED = Map.of(
            "service.workerTtl", "service.memberTtl",
            "service.maxWorkersPerGroup", "service.maxMembersPerGroup");

    private RemovedKeys() {}

    /** Returns whether an earlier version had this key, whose behavior is now the only one. */
    static boolean contains(String key) {
        return KEYS.contains(key);
    }

    /** Returns the renamed keys with the names that they have now. */
    static Map<String, String> renamed() {
        return RENAMED;
    }

    /** Returns the keys that earlier versions had, whose behavior is now the only one. */
    static Set<String> all() {
        return KEYS;
    }
}
