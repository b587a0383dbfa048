// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.talos.bench.report.Measure;
import org.talos.server.log.Block;
import org.talos.server.log.Put;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.storage.LogId;

/** A load of so many puts in flight to one server, each sent as soon as one is answered. Thread-safe. */
final class PutsInFlight {
    private static final LogId LOG = new LogId("0".repeat(32), 0);
    private static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();

    private final PartitionRequests server;
    private final Put put;
    private final Histogram latency = new ConcurrentHistogram(3);
    private final Map<Long, Long> open = new ConcurrentHashMap<>(); // when each was sent
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong succeeded = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean measuring;
    private volatile boolean ended;

    PutsInFlight(PartitionRequests server, int bytes) {
        this.server = server;
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[bytes]));
        put = new Put("sequence", Put.Origin.REPEATED, List.of(block));
    }

    void begin(int inFlight) {
        for (int i = 0; i < inFlight; i++) {
            next();
        }
    }

    private void next() {
        long number = begun.incrementAndGet();
        long begin = System.nanoTime();
        open.put(number, begin);
        var unused = server.put(LOG, put, new ForwardContext("bench", begin + DEADLINE_NANOS))
                .whenComplete((stored, error) -> answered(number, begin, stored));
    }

    private void answered(long number, long begin, @Nullable AppendResult stored) {
        if (ended) {
            return;
        }
        open.remove(number);
        if (stored == null) {
            failed.incrementAndGet(); // and no further one in its place: it might fail at once, forever
            return;
        }
        succeeded.incrementAndGet();
        if (measuring) {
            latency.recordValue(System.nanoTime() - begin);
        }
        next();
    }

    void measure() {
        measuring = true;
    }

    /** Puts measured so far. */
    long measured() {
        return latency.getTotalCount();
    }

    /**
     * Stops sending and returns what was measured in so many seconds. Puts that are not answered yet count as if
     * answered now, so that the slowest are not missing.
     */
    Measure end(String caseName, int round, String operation, double seconds, SortedMap<String, Double> figures) {
        measuring = false;
        ended = true;
        long now = System.nanoTime();
        open.values().forEach(begin -> latency.recordValue(now - begin));
        return new Measure(caseName, round, operation, latency.copy(), seconds, succeeded.get(), failed.get(), figures);
    }
}
