// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The producers and consumers of a client that are open.
 *
 * <p>Thread-safe.
 */
final class Opened {
    @GuardedBy("this")
    private final Deque<Closing> open = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** Registers the closer of a producer or consumer; returns false if the client is closed. */
    synchronized boolean add(Closing closing) {
        if (!closed) {
            open.push(closing);
        }
        return !closed;
    }

    /** Forgets a producer or consumer that has been closed. */
    synchronized void remove(Closing closing) {
        open.remove(closing);
    }

    /** Refuses later registrations, and returns the open ones. */
    synchronized List<Closing> close() {
        closed = true;
        return List.copyOf(open);
    }
}
