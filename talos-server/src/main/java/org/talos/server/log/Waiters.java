// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tasks that wait for the next message of a log, without a thread each. Thread-safe. */
final class Waiters {
    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet(); // a set: readers come and go by the thousand
    private volatile boolean closed;

    /** A task that waits, and runs once at most. Thread-safe. */
    private static final class Waiter {
        private final Runnable task;
        private final AtomicBoolean ended = new AtomicBoolean();

        Waiter(Runnable task) {
            this.task = task;
        }

        void run() {
            if (ended.compareAndSet(false, true)) {
                task.run();
            }
        }
    }

    /** Runs the task at the next {@link #wake()}, or at once if the log is closed; what is returned cancels it. */
    Runnable add(Runnable task) {
        Waiter waiter = new Waiter(task);
        waiting.add(waiter);
        if (closed) {
            wake();
        }
        return () -> {
            waiter.ended.set(true);
            waiting.remove(waiter);
        };
    }

    /** Runs all tasks that wait now; those added meanwhile wait for the next call. */
    void wake() {
        if (waiting.isEmpty()) {
            return;
        }
        List<Waiter> now = new ArrayList<>(waiting);
        now.forEach(waiting::remove);
        now.forEach(Waiter::run);
    }

    /** Runs all tasks, and each later one at once. */
    void close() {
        closed = true; // before those who wait are woken: who comes later sees it
        wake();
    }
}
