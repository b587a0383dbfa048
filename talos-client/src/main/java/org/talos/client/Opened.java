// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The producers and consumers of a client that are open.
 *
 * <p>Thread-safe.
 */
final class Opened {
    @GuardedBy("this")
    private final Deque<Runnable> closings = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** Notes what closes a producer or consumer; false if the client is closed. */
    synchronized boolean add(Runnable closing) {
        if (!closed) {
            closings.push(closing);
        }
        return !closed;
    }

    /** Forgets one that has been closed. */
    synchronized void remove(Runnable closing) {
        closings.remove(closing);
    }

    /** Closes all, those that were opened last first. */
    void close() {
        Runnable next = next();
        while (next != null) {
            next.run();
            next = next();
        }
    }

    private synchronized @Nullable Runnable next() {
        closed = true;
        return closings.poll();
    }
}
