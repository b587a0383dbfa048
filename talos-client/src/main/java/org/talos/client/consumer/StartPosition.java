// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Instant;
import java.util.Optional;

/**
 * Where to start reading a partition. Immutable.
 *
 * @param end whether to start at the end, with messages that are appended later
 * @param time time at or after which the first message was appended; empty for the end or the oldest message
 */
public record StartPosition(boolean end, Optional<Instant> time) {
    /** The oldest message. */
    public static final StartPosition EARLIEST = new StartPosition(false, Optional.empty());
    /** The end: messages that are appended later. */
    public static final StartPosition LATEST = new StartPosition(true, Optional.empty());

    /** Refuses an end with a time. */
    public StartPosition {
        if (end && time.isPresent()) {
            throw new IllegalArgumentException("a start at the end has no time");
        }
    }

    /** Returns the first message that was appended at a time or later. */
    public static StartPosition at(Instant time) {
        return new StartPosition(false, Optional.of(time));
    }
}
