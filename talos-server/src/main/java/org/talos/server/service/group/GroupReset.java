// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The place from which a group continues. Immutable.
 *
 * @param partitions empty for all
 * @param preview whether only to report the changes
 * @param force whether to reset also while the group has members; a reading member moves at its next fetch without
 *     positions
 */
public record GroupReset(Target target, Optional<Set<Integer>> partitions, boolean preview, boolean force) {
    public GroupReset {
        partitions = partitions.map(Set::copyOf);
    }

    /** A place in each partition. */
    public sealed interface Target {
        /** Returns the target as it stands in the note of the reset. */
        String noted();

        /** The oldest message that there is. */
        record Earliest() implements Target {
            @Override
            public String noted() {
                return "earliest";
            }
        }

        /** Behind the newest message that there is. */
        record Latest() implements Target {
            @Override
            public String noted() {
                return "latest";
            }
        }

        /** An offset, within the stored messages. Immutable. */
        record Offset(long offset) implements Target {
            @Override
            public String noted() {
                return "offset " + offset;
            }
        }

        /** The first message that was appended at or after a time, ms since 1970. Immutable. */
        record Time(long millis) implements Target {
            @Override
            public String noted() {
                return "time " + millis;
            }
        }
    }

    /**
     * The result for one partition. Immutable.
     *
     * @param from next offset so far; empty if the group never committed
     * @param to next offset from now on; empty, for a reset that is undone, if it had never committed
     * @param skipped number of stored messages that the group skips
     * @param repeated messages that there are, and that it reads again
     */
    public record Moved(int partition, OptionalLong from, OptionalLong to, long skipped, long repeated) {
        static Moved of(int partition, OptionalLong from, OptionalLong to, long start, long end) {
            if (from.isEmpty() || to.isEmpty()) {
                return new Moved(partition, from, to, 0, 0);
            }
            long left = Math.max(start, Math.min(end, from.getAsLong()));
            long resumesAt = Math.max(start, Math.min(end, to.getAsLong()));
            return new Moved(partition, from, to, Math.max(0, resumesAt - left), Math.max(0, left - resumesAt));
        }
    }
}
