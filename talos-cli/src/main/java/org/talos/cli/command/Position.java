// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.time.Instant;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.GroupReset.Target;

/**
 * A position in a partition as users write it. Immutable.
 *
 * @param target how the position is given
 * @param value an offset, or milliseconds since 1970; 0 for the other targets
 */
record Position(Target target, long value) {
    static final Position EARLIEST = new Position(Target.EARLIEST, 0);

    boolean isOffset() {
        return target == Target.OFFSET;
    }

    boolean isTime() {
        return target == Target.TIME;
    }

    GroupReset reset() {
        return switch (target) {
            case EARLIEST -> GroupReset.toEarliest();
            case LATEST -> GroupReset.toLatest();
            case OFFSET -> GroupReset.toOffset(value);
            case TIME -> GroupReset.toTime(Instant.ofEpochMilli(value));
        };
    }
}
