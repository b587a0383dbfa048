// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.util.Set;

/** Names the keys that earlier versions had, so that an old file is refused by name. Immutable. */
final class RemovedKeys {
    private static final Set<String> KEYS = Set.of(
            "dispatch.policy",
            "hdfs.form",
            "http.dispatch",
            "transfer.clientsPerHost",
            "transfer.pools",
            "transfer.threadsPerHost");

    private RemovedKeys() {}

    /** Returns whether an earlier version had this key, whose behavior is now the only one. */
    static boolean contains(String key) {
        return KEYS.contains(key);
    }

    /** Returns the keys that earlier versions had. */
    static Set<String> all() {
        return KEYS;
    }
}
