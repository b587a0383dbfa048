// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

import java.util.concurrent.atomic.AtomicReference;

/** The presence of a client whose departure {@link #leave} reports. Thread-safe. */
public final class SeenPresence implements Presence {
    /** The placeholder of a task where there is none. */
    private enum NoTask implements Runnable {
        YET,
        ANY_MORE;

        @Override
        public void run() {}
    }

    private final AtomicReference<Runnable> task = new AtomicReference<>(NoTask.YET);

    @Override
    public Runnable onGone(Runnable next) {
        if (task.updateAndGet(before -> before == NoTask.ANY_MORE ? NoTask.ANY_MORE : next) == NoTask.ANY_MORE) {
            next.run();
        }
        return () -> {
            var unused = task.compareAndSet(next, NoTask.YET);
        };
    }

    /** Notes that the client has left. */
    public void leave() {
        task.getAndSet(NoTask.ANY_MORE).run();
    }

    @Override
    public boolean isGone() {
        return task.get() == NoTask.ANY_MORE;
    }
}
