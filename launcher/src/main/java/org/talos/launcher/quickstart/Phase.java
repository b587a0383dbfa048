// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.talos.client.TalosClientException;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * One half of the quick start, with one thread for each partition and every call timed.
 *
 * <p>Thread-safe: the partitions' threads record while it runs.
 */
final class Phase {
    private static final Ticker CLOCK = SystemTime.ticker();
    private static final int DIGITS = 3;

    private final Histogram latency = new ConcurrentHistogram(DIGITS);
    private final LongAdder messages = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongConsumer progress;
    private volatile long elapsedNanos;

    /** Creates a phase that reports the number of messages of each call. */
    Phase(LongConsumer progress) {
        this.progress = progress;
    }

    /** A task for one partition. */
    interface Work {
        void run(int partition) throws TalosClientException;
    }

    /** Does the work of all partitions at once and waits for all of them. */
    void run(int partitions, Work work) throws TalosClientException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(partitions);
        long start = CLOCK.nanos();
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < partitions; i++) {
                int partition = i;
                tasks.add(() -> {
                    work.run(partition);
                    return null;
                });
            }
            for (Future<Void> task : threads.invokeAll(tasks)) {
                task.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TalosClientException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
            elapsedNanos = CLOCK.nanos() - start;
        }
    }

    /** Records that a call has been answered. */
    void called(long startNanos, int messagesOfCall, long bytesOfCall) {
        latency.recordValue(CLOCK.nanos() - startNanos);
        messages.add(messagesOfCall);
        bytes.add(bytesOfCall);
        progress.accept(messagesOfCall);
    }

    long messages() {
        return messages.sum();
    }

    /** Returns a row of the table. */
    String row(String name) {
        double seconds = elapsedNanos / (double) TimeUnit.SECONDS.toNanos(1);
        return String.format(
                Locale.ROOT,
                "%-11s %9d %9.1f %9d %10.0f %12.0f %9.2f %9.2f",
                name,
                messages.sum(),
                bytes.sum() / 1e6,
                latency.getTotalCount(),
                latency.getTotalCount() / seconds,
                messages.sum() / seconds,
                latency.getValueAtPercentile(50) / 1e6,
                latency.getValueAtPercentile(99) / 1e6);
    }

    /** Returns the heading of the columns. */
    static String heading() {
        return String.format(
                Locale.ROOT,
                "%-11s %9s %9s %9s %10s %12s %9s %9s",
                "",
                "messages",
                "MB",
                "calls",
                "calls/s",
                "messages/s",
                "P50/ms",
                "P99/ms");
    }
}
