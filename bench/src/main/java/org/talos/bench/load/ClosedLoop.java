// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Threads that each send a request, wait for its answer, and send the next: so many are in flight, never more.
 *
 * <p>Confined: one run.
 */
public final class ClosedLoop {
    private static final long HIGHEST_NANOS = 120_000_000_000L;

    private final URI server;
    private final List<List<byte[]>> requests;
    private final Check check;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** Whether an answer is a success. */
    public interface Check {
        /** Looks at the last answer of the connection. */
        boolean ok(int status, RawConnection connection);
    }

    /**
     * What was measured. Immutable.
     *
     * @param latencyNanos of the requests that ended while it counted
     * @param acknowledged all successes, those of the warm-up included
     */
    public record Result(
            Histogram latencyNanos, double seconds, long acknowledged, long failed, double clientCpuSeconds) {
        /** Requests a second. */
        public double rate() {
            return latencyNanos.getTotalCount() / seconds;
        }
    }

    /** One thread for each list of requests, which it goes through again and again. */
    public ClosedLoop(URI server, List<List<byte[]>> requests, Check check) {
        this.server = server;
        this.requests = requests;
        this.check = check;
    }

    /** Runs for the warm-up and then for what counts; {@code onMeasure} is called between the two, and at the end. */
    public Result run(int warmupSeconds, int seconds, Runnable onMeasure) throws InterruptedException {
        List<Histogram> histograms = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        CountDownLatch connected = new CountDownLatch(requests.size());
        long begin = System.nanoTime();
        long from = begin + warmupSeconds * 1_000_000_000L;
        long until = from + seconds * 1_000_000_000L;
        for (List<byte[]> mine : requests) {
            Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
            histograms.add(histogram);
            Thread thread = new Thread(() -> work(mine, histogram, from, until, connected), "load");
            threads.add(thread);
            thread.start();
        }
        connected.await();
        sleepUntil(from);
        onMeasure.run();
        long cpu = cpuNanos();
        sleepUntil(until);
        onMeasure.run();
        double clientCpu = (cpuNanos() - cpu) / 1e9;
        Histogram all = new Histogram(HIGHEST_NANOS, 3);
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).join();
            all.add(histograms.get(i));
        }
        return new Result(all, seconds, acknowledged.get(), failed.get(), clientCpu);
    }

    private void work(List<byte[]> mine, Histogram histogram, long from, long until, CountDownLatch connected) {
        try (RawConnection connection = new RawConnection(server)) {
            connected.countDown();
            int next = 0;
            for (long start = System.nanoTime(); start < until; ) {
                int status = connection.exchange(mine.get(next++ % mine.size()));
                long end = System.nanoTime();
                if (check.ok(status, connection)) {
                    acknowledged.incrementAndGet();
                    if (start >= from && end <= until) {
                        histogram.recordValue(end - start);
                    }
                } else {
                    failed.incrementAndGet();
                }
                start = end;
            }
        } catch (IOException e) {
            failed.incrementAndGet();
            connected.countDown();
        }
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        long left = nanos - System.nanoTime();
        if (left > 0) {
            Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
        }
    }

    private static long cpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(each -> each.toNanos())
                .orElse(0L);
    }
}
