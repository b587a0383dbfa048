// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Window;

/**
 * Threads that do one thing after another until the measured time is over, without a server.
 *
 * <p>Confined: one run; its phase is read by its threads.
 */
public final class TimedThreads {
    private static final int DIGITS = 3;

    private volatile Phase phase = Phase.WARMING_UP;

    private TimedThreads() {}

    /** Of all threads at once. */
    private enum Phase {
        WARMING_UP,
        MEASURING,
        ENDING
    }

    /** Does the work of one thread. Confined: to its thread. */
    public interface Work extends Closeable {
        /** Does one thing. */
        void once() throws IOException;
    }

    /** The measurements of one thread. Immutable, but for the histogram, which belongs to the caller. */
    private record Done(Histogram latency, long times) {}

    /**
     * Runs the threads.
     *
     * @param works one for each thread, which closes it
     * @return how long each thing took that was begun and ended within the measured time
     */
    public static LoadResult run(List<? extends Work> works, Duration warmUp, Duration measured, Window window)
            throws IOException {
        return new TimedThreads().measured(works, warmUp, measured, window);
    }

    private LoadResult measured(List<? extends Work> works, Duration warmUp, Duration measured, Window window)
            throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(works.size());
        try {
            List<Future<Done>> running = new ArrayList<>();
            for (Work each : works) {
                running.add(threads.submit(() -> repeated(each)));
            }
            Thread.sleep(warmUp.toMillis());
            phase = Phase.MEASURING;
            window.opened();
            long start = System.nanoTime();
            Thread.sleep(measured.toMillis());
            long nanos = System.nanoTime() - start;
            phase = Phase.ENDING;
            window.closed();
            return together(running, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            phase = Phase.ENDING;
            threads.shutdown();
        }
    }

    private Done repeated(Work work) throws IOException {
        Histogram latency = new Histogram(DIGITS);
        long times = 0;
        try (work) {
            while (phase != Phase.ENDING) {
                long start = System.nanoTime();
                work.once();
                times++;
                if (phase == Phase.MEASURING) {
                    latency.recordValue(System.nanoTime() - start);
                }
            }
        }
        return new Done(latency, times);
    }

    private static LoadResult together(List<Future<Done>> running, long nanos)
            throws IOException, InterruptedException {
        Histogram latency = new Histogram(DIGITS);
        long times = 0;
        try {
            for (Future<Done> each : running) {
                Done done = each.get();
                latency.add(done.latency);
                times += done.times;
            }
        } catch (ExecutionException e) {
            throw new IOException("a thread failed: " + e.getCause(), e);
        }
        return new LoadResult(latency, nanos, times, 0, Optional.empty());
    }
}
