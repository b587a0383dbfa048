// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the client's threads, which are named {@code talos-<role>-<n>} and are daemons, so that they keep no program
 * alive.
 *
 * <p>Thread-safe.
 */
final class ClientThreads implements ThreadFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ClientThreads.class);

    private final String role;
    private final AtomicInteger made = new AtomicInteger();

    ClientThreads(String role) {
        this.role = role;
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = Executors.defaultThreadFactory().newThread(work);
        thread.setName("talos-" + role + "-" + made.getAndIncrement());
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, cause) -> LOG.error("thread died thread={}", dead.getName(), cause));
        return thread;
    }
}
