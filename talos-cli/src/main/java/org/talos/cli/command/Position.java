// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.time.Instant;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.GroupReset.Place;

/**
 * A place in a partition as users write it. Immutable.
 *
 * @param value an offset, or milliseconds since 1970; 0 for the other places
 */
record Position(Place place, long value) {
    static final Position EARLIEST = new Position(Place.EARLIEST, 0);

    boolean isOffset() {
        return place == Place.OFFSET;
    }

    boolean isTime() {
        return place == Place.TIME;
    }

    GroupReset reset() {
        return switch (place) {
            case EARLIEST -> GroupReset.toEarliest();
            case LATEST -> GroupReset.toLatest();
            case OFFSET -> GroupReset.toOffset(value);
            case TIME -> GroupReset.toTime(Instant.ofEpochMilli(value));
        };
    }
}
