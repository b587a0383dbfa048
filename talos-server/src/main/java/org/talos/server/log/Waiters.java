// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Those who wait for the next message of a log, without a thread each. Thread-safe. */
final class Waiters {
    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet(); // a set: readers come and go by the thousand
    private volatile boolean closed;

    /** Something that waits; runs once at most. Thread-safe. */
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

    /**
     * Runs the task at the next {@link #wake()}, or at once if there is none to come; what is returned calls it off.
     */
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

    /** Runs those who wait now; one who waits again meanwhile waits for the next time. */
    void wake() {
        if (waiting.isEmpty()) {
            return;
        }
        List<Waiter> now = new ArrayList<>(waiting);
        now.forEach(waiting::remove);
        now.forEach(Waiter::run);
    }

    /** Nobody waits any longer. */
    void close() {
        closed = true; // before those who wait are woken: who comes later sees it
        wake();
    }
}
