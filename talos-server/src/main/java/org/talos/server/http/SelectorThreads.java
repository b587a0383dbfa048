// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.util.ArrayDeque;
import java.util.Queue;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's threads. If a selector's thread wrote the answer of a connection, it also reads the connection on, once the
 * answer is out. Jetty would wake another thread, mostly to find nothing to read.
 *
 * <p>Thread-safe.
 */
final class SelectorThreads extends QueuedThreadPool {
    private static final ThreadLocal<@Nullable Queue<Runnable>> READ_ON = new ThreadLocal<>();

    SelectorThreads(int threads) {
        super(threads);
    }

    /** Runs a task on a selector's thread, and then the connections whose request it has ended. */
    static void run(Runnable task) {
        Queue<Runnable> readOn = new ArrayDeque<>(1);
        READ_ON.set(readOn);
        try {
            task.run();
        } finally {
            READ_ON.set(null); // the next task finds its place
            readOn.forEach(Runnable::run);
        }
    }

    @Override
    public void execute(Runnable job) {
        @Nullable Queue<Runnable> readOn = job instanceof Connection ? READ_ON.get() : null;
        if (readOn == null) {
            super.execute(job);
        } else {
            readOn.add(job);
        }
    }
}
