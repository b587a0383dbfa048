// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the server's threads: daemons named {@code talos-<role>-<n>}. Logs a thread that dies of an uncaught
 * exception.
 *
 * <p>Thread-safe.
 */
public final class NamedThreads implements ThreadFactory {
    private static final Logger LOG = LoggerFactory.getLogger(NamedThreads.class);
    static final UncaughtExceptionHandler LOGS_DEATH =
            (dead, cause) -> LOG.error("thread died thread={}", dead.getName(), cause);

    private final String role;
    private final AtomicInteger made = new AtomicInteger();

    /** Threads of one role. */
    public NamedThreads(String role) {
        this.role = role;
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "talos-" + role + "-" + made.getAndIncrement());
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(LOGS_DEATH);
        return thread;
    }
}
