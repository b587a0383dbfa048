// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.time.Instant;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.GroupReset.Target;

/**
 * A position in a partition as users write it. Immutable.
 *
 * @param target how the position is given
 * @param value an offset, or milliseconds since 1970; 0 for the other targets
 */
public record Position(Target target, long value) {
    /** The oldest message. */
    public static final Position EARLIEST = new Position(Target.EARLIEST, 0);

    /** Whether it is an offset. */
    public boolean isOffset() {
        return target == Target.OFFSET;
    }

    /** Whether it is a point of time. */
    public boolean isTime() {
        return target == Target.TIME;
    }

    /** The point of time that it is. */
    public Instant time() {
        return Instant.ofEpochMilli(value);
    }

    /** A reset to here. */
    public GroupReset reset() {
        return switch (target) {
            case EARLIEST -> GroupReset.toEarliest();
            case LATEST -> GroupReset.toLatest();
            case OFFSET -> GroupReset.toOffset(value);
            case TIME -> GroupReset.toTime(time());
        };
    }
}
