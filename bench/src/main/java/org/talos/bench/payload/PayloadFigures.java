// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.LoadResult;

/**
 * The figures of one carrier in one cell, as passed between processes. Immutable.
 *
 * @param megabytesPerSecond payload alone, in 10^6 bytes; NaN if it could not be measured
 * @param latency of the requests that ended within the measured time, in nanoseconds, as HdrHistogram encodes it
 * @param seconds how long was measured
 * @param acknowledged of all requests, those of the warm-up and the end as well
 * @param stored puts that the server has at the end; as many as were acknowledged, or it has lost some
 * @param failure what went wrong first, or nothing
 */
record PayloadFigures(
        String carrier,
        Cell cell,
        double megabytesPerSecond,
        String latency,
        double seconds,
        long acknowledged,
        long stored,
        long failed,
        String failure) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final int DIGITS = 3;

    /**
     * Of requests, one in flight for each client. The rate follows from their mean time, for a client does nothing but
     * wait for them: the count of a few large requests in a window would give it only in coarse steps.
     */
    static PayloadFigures ofRequests(String carrier, Cell cell, LoadResult load, long stored) {
        Histogram latency = load.latency();
        if (latency.getTotalCount() == 0) {
            return ofFailure(carrier, cell, load.firstFailure().orElse("no request ended in time"));
        }
        return new PayloadFigures(
                carrier,
                cell,
                cell.clients() * (double) cell.size() * 1_000 / latency.getMean(),
                encoded(latency),
                load.measuredNanos() / NANOS_PER_SECOND,
                load.succeeded(),
                stored,
                load.failed(),
                load.firstFailure().orElse(""));
    }

    /** Of puts over streams, many of which are under way at once. */
    static PayloadFigures ofPuts(String carrier, Cell cell, StreamFigures puts, long stored) {
        return new PayloadFigures(
                carrier,
                cell,
                puts.bytesPerSecond() / BYTES_PER_MEGABYTE,
                encoded(puts.latency()),
                puts.seconds(),
                puts.stored(),
                stored,
                puts.refused(),
                puts.failure());
    }

    /** Figures of bytes without requests, and so without latencies. */
    static PayloadFigures ofBytes(String carrier, Cell cell, double megabytesPerSecond, double seconds) {
        return new PayloadFigures(carrier, cell, megabytesPerSecond, none(), seconds, 0, 0, 0, "");
    }

    /** Figures of a cell that could not be measured. */
    static PayloadFigures ofFailure(String carrier, Cell cell, String failure) {
        return new PayloadFigures(carrier, cell, Double.NaN, none(), Double.NaN, 0, 0, 1, failure);
    }

    private static String none() {
        return encoded(new Histogram(DIGITS));
    }

    private static String encoded(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    /** The latency, decoded. */
    Histogram histogram() {
        return Histogram.decodeFromByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(latency)), 0);
    }

    /** Returns whether nothing failed and all acknowledged messages are stored once. */
    boolean sound() {
        return failed == 0 && stored == acknowledged;
    }
}
