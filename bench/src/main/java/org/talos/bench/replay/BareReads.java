// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.LoadResult;

/**
 * Reads the files of all partitions without a server, a few threads for all readers: each reader has a place of its own
 * and reads on from there when its turn comes, as the gets of a replay do.
 *
 * <p>Confined: one run; its readers go from thread to thread.
 */
final class BareReads {
    /** Few, as a server's that read from storage. */
    static final int THREADS = 4;

    private static final int DIGITS = 3;

    private final Queue<PartitionFiles> waiting;
    private final LongAdder bytes = new LongAdder();
    private volatile boolean ending;

    BareReads(List<PartitionFiles> readers) {
        waiting = new ConcurrentLinkedQueue<>(readers);
    }

    /** Bytes that were read so far. */
    long bytes() {
        return bytes.sum();
    }

    /** Reads; its latencies are those of the pieces. */
    LoadResult run(Duration leadIn, Duration measured, ReplayWindow window) throws IOException {
        int count = Math.min(THREADS, waiting.size());
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<Histogram>> running = new ArrayList<>();
            for (int each = 0; each < count; each++) {
                running.add(threads.submit(() -> read(window)));
            }
            Thread.sleep(leadIn.toMillis());
            window.opened();
            long start = System.nanoTime();
            Thread.sleep(measured.toMillis());
            long nanos = System.nanoTime() - start;
            window.closed();
            ending = true;
            return together(running, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            ending = true;
            threads.shutdown();
        }
    }

    private Histogram read(ReplayWindow window) throws IOException {
        Histogram latency = new Histogram(DIGITS);
        ByteBuffer piece = ByteBuffer.allocateDirect(ReplaySettings.READ_BYTES);
        while (!ending) {
            PartitionFiles reader = waiting.remove();
            long start = System.nanoTime();
            try {
                bytes.add(reader.read(piece));
            } finally {
                waiting.add(reader);
            }
            if (window.isOpen()) {
                latency.recordValue(System.nanoTime() - start);
            }
        }
        for (PartitionFiles each = waiting.poll(); each != null; each = waiting.poll()) {
            each.close(); // what another thread still reads it closes itself
        }
        return latency;
    }

    private static LoadResult together(List<Future<Histogram>> running, long nanos)
            throws IOException, InterruptedException {
        Histogram latency = new Histogram(DIGITS);
        try {
            for (Future<Histogram> each : running) {
                latency.add(each.get());
            }
        } catch (ExecutionException e) {
            throw new IOException("a bare reader failed: " + e.getCause(), e);
        }
        return new LoadResult(latency, nanos, latency.getTotalCount(), 0, Optional.empty());
    }
}
