// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.List;
import java.util.Locale;

/**
 * A member of a consumer group. Immutable.
 *
 * @param id its name in further calls
 * @param leaseMillis it expires after so long without a call
 * @param partitions what it reads
 */
public record GroupMember(String id, long leaseMillis, List<Integer> partitions) {
    public GroupMember {
        partitions = List.copyOf(partitions);
    }

    /** By what a member joined, which its name says: nothing else of it is stored. */
    public enum Kind {
        /** As a worker of an SDK. */
        SDK,
        /** Over REST. */
        REST,
        /** By a stream. */
        STREAM;

        /** The kind of the member of a name. */
        public static Kind of(String member) {
            return MemberId.kind(member);
        }

        /** As it stands in names, and is shown. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
