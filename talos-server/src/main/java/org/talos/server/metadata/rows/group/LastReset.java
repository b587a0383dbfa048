// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;

/**
 * The last reset of a consumer group on a topic: where each partition was before it, so that it can be undone.
 *
 * <p>Immutable.
 *
 * @param user who has reset the group
 * @param timestamp of the reset, ms since 1970
 * @param target where it was to put the group; empty if that is not known
 * @param before partition to the offset of its checkpoint until then, {@link #NEVER} if the group had none; partitions
 *     that were not reset are missing
 */
public record LastReset(String user, long timestamp, String target, Map<Integer, Long> before) {
    /** The value for a partition in which the group had never committed. */
    public static final long NEVER = -2;

    public LastReset {
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(target, "target");
        before = Map.copyOf(before);
    }

    /**
     * Returns the note for the next reset. A reset to the same target, without further partitions, is this one, which
     * is repeated or finished after a failure: an undo goes back to the offsets before the first of them.
     *
     * @param isUnused whether no member has committed in a partition since this reset, which found it at that offset
     */
    public LastReset followedBy(LastReset next, BiPredicate<Integer, Long> isUnused) {
        if (target.isEmpty() || !target.equals(next.target) || !before.keySet().containsAll(next.before.keySet())) {
            return next;
        }
        Map<Integer, Long> origins = new HashMap<>(next.before);
        before.forEach((partition, offset) -> {
            if (isUnused.test(partition, offset)) {
                origins.put(partition, offset);
            }
        });
        return new LastReset(next.user, next.timestamp, target, origins);
    }
}
