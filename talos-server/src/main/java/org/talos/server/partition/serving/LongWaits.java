// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The requests that wait for messages. When the server stops, all their waits are over, so that they are answered with
 * what is there instead of holding up the stop.
 *
 * <p>Thread-safe.
 */
public final class LongWaits {
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    /** Runs the task when the waits end, at once if they have, unless the result is there by then. */
    void onEnd(CompletableFuture<?> result, Runnable task) {
        Runnable once = task::run; // equal to no other
        waiting.add(once);
        var unused = result.whenComplete((done, error) -> waiting.remove(once));
        if (over && waiting.remove(once)) { // end() may have come before it was added
            once.run();
        }
    }

    /** Whether nothing waits any more. */
    public boolean areOver() {
        return over;
    }

    /** Ends all waits, and those that begin later. */
    public void end() {
        over = true;
        for (Runnable each : waiting) {
            if (waiting.remove(each)) {
                each.run();
            }
        }
    }
}
