// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.Map;
import java.util.Objects;

/**
 * The last reset of a consumer group on a topic: where each partition was before it, so that it can be undone.
 *
 * <p>Immutable.
 *
 * @param user who has reset the group
 * @param timestamp of the reset, ms since 1970
 * @param before partition to the offset of its checkpoint until then, {@link #NEVER} if the group had none; partitions
 *     that were not reset are missing
 */
public record LastReset(String user, long timestamp, Map<Integer, Long> before) {
    /** The value for a partition in which the group had never committed. */
    public static final long NEVER = -2;

    public LastReset {
        Objects.requireNonNull(user, "user");
        before = Map.copyOf(before);
    }
}
