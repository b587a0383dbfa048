// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.client;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;

/**
 * The threads that wait for HDFS in place of others, a pool for each kind of work: a task that hangs delays no other
 * kind.
 *
 * <p>Thread-safe.
 */
public final class HdfsWorkers {
    private static final Logger LOG = LoggerFactory.getLogger(HdfsWorkers.class);
    private static final int CLOSING_THREADS = 8;
    private static final int MAX_WAITING_CLOSES = 1_000; // each is an open file, with threads and memory of its own
    private static final int FENCING_THREADS = 8;
    private static final int MAX_WAITING_FENCES = 10_000; // the files of a takeover are queried together
    private static final int PREPARING_THREADS = 4;
    private static final int MAX_WAITING_PREPARED = 100; // one for each journal
    /** Interval at which a waiting thread runs its other duties. */
    private static final Duration MEANWHILE = Duration.ofSeconds(1);

    private final ExecutorService closes; // of failed or full files: the first to hang
    private final ExecutorService fences; // of other servers' files, and the steps that follow
    private final ExecutorService preparing; // of files that puts will need
    private final ExecutorService probing; // whether HDFS answers
    private final Threads threads;
    private volatile boolean closed;

    /** Creates a pool of threads that refuses tasks when too many wait. */
    @FunctionalInterface
    public interface Pools {
        ExecutorService pool(String role, int threads, int maxWaiting);
    }

    /** Work on files that may fail. */
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    /** Begins with all pools. */
    public HdfsWorkers(Pools pools, Threads threads) {
        closes = pools.pool("hdfs-closes", CLOSING_THREADS, MAX_WAITING_CLOSES);
        fences = pools.pool("hdfs-fences", FENCING_THREADS, MAX_WAITING_FENCES);
        preparing = pools.pool("hdfs-preparing", PREPARING_THREADS, MAX_WAITING_PREPARED);
        probing = pools.pool("hdfs-probe", 1, 1);
        this.threads = threads;
    }

    /**
     * Runs all works of a takeover, several at a time, and waits for them all; must not be called by a work.
     *
     * @param meanwhile runs about every second on the waiting thread
     * @throws IOException a work or the interim duty has failed, or too many wait for HDFS already
     */
    public void all(List<? extends Work> works, Work meanwhile) throws IOException {
        List<Future<?>> running = new ArrayList<>();
        List<IOException> failures = new ArrayList<>();
        try {
            for (Work work : works) {
                FutureTask<Void> task = new FutureTask<>(() -> {
                    work.run();
                    return null;
                });
                fences.execute(task);
                running.add(task);
            }
        } catch (RejectedExecutionException e) {
            failures.add(new IOException("HDFS has not answered an earlier request: " + FirstLine.of(e), e));
        }
        for (Future<?> each : running) {
            while (!hasEnded(each, failures)) {
                try {
                    meanwhile.run();
                } catch (IOException e) { // no work may continue without its caller's knowledge
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private boolean hasEnded(Future<?> running, List<IOException> failures) throws IOException {
        try {
            var unused = threads.result(running, MEANWHILE.toMillis());
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            failures.add(e.getCause() instanceof IOException io ? io : new IOException(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return true;
    }

    /**
     * Closes or deletes files on another thread. Logs a failure; if too many tasks wait, logs that and returns false.
     */
    public boolean closeLater(Work work) {
        return inBackground(closes, work);
    }

    /** Creates files that will be needed soon, on another thread. */
    public void prepareLater(Work work) {
        var unused = inBackground(preparing, work);
    }

    /** Checks on a thread of its own whether HDFS answers, one check at a time; returns false if another one waits. */
    public boolean ask(Work work) {
        return inBackground(probing, work);
    }

    private boolean inBackground(ExecutorService pool, Work work) {
        try {
            pool.execute(() -> {
                try {
                    work.run();
                } catch (FileNotFoundException e) {
                    LOG.debug("file no longer exists", e);
                } catch (IOException | RuntimeException e) {
                    LOG.warn("background work on a file failed, a later opening repairs it", e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            if (!closed) {
                LOG.warn("file left unrepaired, a later opening repairs it cause={}", FirstLine.of(e));
            }
            return false;
        }
    }

    /** Accepts no more work, and waits for the accepted work. Returns false if that has not ended in time. */
    public boolean close(Ticker ticker, Duration timeout) {
        closed = true;
        List<ExecutorService> pools = List.of(closes, fences, preparing, probing);
        pools.forEach(ExecutorService::shutdown);
        long until = ticker.nanos() + timeout.toNanos();
        boolean ended = true;
        try {
            for (ExecutorService pool : pools) {
                ended &= pool.awaitTermination(Math.max(0, until - ticker.nanos()), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ended;
    }
}
