// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.time.Instant;
import java.util.Optional;
import org.talos.client.admin.GroupReset;

/**
 * A position in a partition as users write it. Immutable.
 *
 * @param place how the position is given
 * @param value an offset, or milliseconds since 1970; 0 for the other places
 */
public record Position(Place place, long value) {
    /** The oldest message. */
    public static final Position EARLIEST = new Position(Place.EARLIEST, 0);

    /** The form in which a position is given. */
    public enum Place {
        /** The oldest message. */
        EARLIEST,
        /** The last messages that were put together. */
        LAST,
        /** Behind the newest message: only messages from now on. */
        LATEST,
        /** An offset. */
        OFFSET,
        /** The first message that the server took in at or after a time. */
        TIME
    }

    /** Returns whether it is an offset. */
    public boolean isOffset() {
        return place == Place.OFFSET;
    }

    /** Returns whether it is a point of time. */
    public boolean isTime() {
        return place == Place.TIME;
    }

    /** Returns the point of time that it is. */
    public Instant time() {
        return Instant.ofEpochMilli(value);
    }

    /** Returns a reset to here; empty for the last messages, to which no group is reset. */
    public Optional<GroupReset> reset() {
        return switch (place) {
            case EARLIEST -> Optional.of(GroupReset.toEarliest());
            case LAST -> Optional.empty();
            case LATEST -> Optional.of(GroupReset.toLatest());
            case OFFSET -> Optional.of(GroupReset.toOffset(value));
            case TIME -> Optional.of(GroupReset.toTime(time()));
        };
    }
}
