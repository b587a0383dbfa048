// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests that wait for messages. When the server stops, all waits end, so that they are answered with the
 * messages so far instead of delaying the stop.
 *
 * <p>Thread-safe.
 */
public final class LongWaits {
    private final Map<Long, Runnable> waiting = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();
    private volatile boolean over;

    /** Runs the task when the waits end, at once if they have, unless the result is there by then. */
    void onEnd(CompletableFuture<?> result, Runnable task) {
        long number = last.incrementAndGet();
        waiting.put(number, task);
        var unused = result.whenComplete((done, error) -> waiting.remove(number));
        if (over) { // end() may have come before it was added
            end(number);
        }
    }

    private void end(long number) {
        Runnable task = waiting.remove(number);
        if (task != null) {
            task.run();
        }
    }

    /** Returns whether nothing waits any more. */
    public boolean areOver() {
        return over;
    }

    /** Ends all waits, and later ones as they begin. */
    public void end() {
        over = true;
        List.copyOf(waiting.keySet()).forEach(this::end);
    }
}
