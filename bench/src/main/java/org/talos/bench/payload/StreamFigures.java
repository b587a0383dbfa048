// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import org.HdrHistogram.Histogram;

/**
 * The outcome of the puts of one stream or several. Immutable, but for the histogram, which nobody changes.
 *
 * @param bytesPerSecond of messages that were answered within the measured time
 * @param latency from the begin of a message's writing to its answer, in nanoseconds
 * @param seconds how long was measured
 * @param stored answers of all, those of the warm-up and the end as well
 * @param refused likewise
 * @param failure the first refusal, or nothing
 */
record StreamFigures(
        double bytesPerSecond, Histogram latency, double seconds, long stored, long refused, String failure) {
    private static final int DIGITS = 3;
    static final StreamFigures NONE = new StreamFigures(0, new Histogram(DIGITS), 0, 0, 0, "");

    /** Of both, which ran at the same time. */
    StreamFigures plus(StreamFigures other) {
        Histogram both = new Histogram(DIGITS);
        both.add(latency);
        both.add(other.latency);
        return new StreamFigures(
                bytesPerSecond + other.bytesPerSecond,
                both,
                Math.max(seconds, other.seconds),
                stored + other.stored,
                refused + other.refused,
                failure.isEmpty() ? other.failure : failure);
    }
}
