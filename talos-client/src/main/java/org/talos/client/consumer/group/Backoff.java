// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.time.Duration;
import org.talos.client.TalosClientException;

/**
 * The pauses of a reader after consecutive failures, each longer than the last, and longest after failures that only a
 * person can fix.
 *
 * <p>Confined: the thread of a reader, or of the rounds in which a member takes and releases partitions.
 */
public final class Backoff {
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST_OF_RETRIABLE = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int DOUBLINGS = 10;

    private int failures;
    private String code = "";

    /** Returns whether a failure differs from the last one, so that its stack trace says something new. */
    public boolean isNew(TalosClientException failure) {
        return !failure.code().equals(code);
    }

    /** Returns the pause after a failure. */
    public Duration failed(TalosClientException failure) {
        code = failure.code();
        Duration pause = FIRST.multipliedBy(1L << Math.min(failures, DOUBLINGS));
        failures++;
        Duration longest = failure.retriable() ? LONGEST_OF_RETRIABLE : LONGEST;
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    /** Resets the pauses after a success. */
    public void succeeded() {
        failures = 0;
        code = "";
    }
}
