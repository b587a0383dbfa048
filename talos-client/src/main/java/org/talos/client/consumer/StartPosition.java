// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Instant;
import java.util.Optional;

/**
 * Where to begin in a partition. Immutable.
 *
 * @param end whether at the end, with what comes from now on
 * @param time the first message that was appended then or later; empty for the end or the oldest message
 */
public record StartPosition(boolean end, Optional<Instant> time) {
    /** The oldest message there is. */
    public static final StartPosition EARLIEST = new StartPosition(false, Optional.empty());
    /** What comes from now on. */
    public static final StartPosition LATEST = new StartPosition(true, Optional.empty());

    /** Checks it. */
    public StartPosition {
        if (end && time.isPresent()) {
            throw new IllegalArgumentException("a start at the end has no time");
        }
    }

    /** The first message that was appended at a time or later. */
    public static StartPosition at(Instant time) {
        return new StartPosition(false, Optional.of(time));
    }
}
