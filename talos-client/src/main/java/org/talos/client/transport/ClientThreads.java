// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the client's threads: daemons named {@code talos-<role>-<n>}, which keep no program alive.
 *
 * <p>Thread-safe.
 */
public final class ClientThreads implements ThreadFactory {
    private static final int IDLE_SECONDS = 10;

    private final String role;
    private final AtomicInteger made = new AtomicInteger();

    /** Makes threads for a role. */
    public ClientThreads(String role) {
        this.role = role;
    }

    /** Returns a pool with as many threads as there is work for; idle ones end, so there is nothing to shut down. */
    static ThreadPoolExecutor pool(String role) {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                new ClientThreads(role));
    }

    /**
     * Runs every task: by an executor, or on the caller's thread if the executor has none left. The loss of a task
     * would leave a caller waiting forever.
     */
    public static Executor sure(Executor pool) {
        return task -> {
            try {
                pool.execute(task);
            } catch (RuntimeException | Error e) {
                log().error(
                                "no thread could be started, the task runs on thread={}",
                                Thread.currentThread().getName(),
                                e);
                task.run();
            }
        };
    }

    // Not a constant: most commands log nothing, and the first logger starts all of logging.
    private static Logger log() {
        return LoggerFactory.getLogger(ClientThreads.class);
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = Executors.defaultThreadFactory().newThread(work);
        thread.setName("talos-" + role + "-" + made.getAndIncrement());
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(
                (dead, cause) -> log().error("thread died thread={}", dead.getName(), cause));
        return thread;
    }
}
