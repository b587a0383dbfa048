// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Those who wait for the next message of a log, without a thread each. Thread-safe. */
final class Waiters {
    private final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();

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

    /** Runs the task at the next {@link #wake()}; what is returned calls it off. */
    Runnable add(Runnable task) {
        Waiter waiter = new Waiter(task);
        waiting.add(waiter);
        return () -> {
            waiter.ended.set(true);
            waiting.remove(waiter);
        };
    }

    /** Runs those who wait now; one who waits again meanwhile waits for the next time. */
    void wake() {
        List<Waiter> now = new ArrayList<>();
        for (int left = waiting.size(); left > 0; left--) {
            Waiter waiter = waiting.poll();
            if (waiter != null) {
                now.add(waiter);
            }
        }
        now.forEach(Waiter::run);
    }
}
