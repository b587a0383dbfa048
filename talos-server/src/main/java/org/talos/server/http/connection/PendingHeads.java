// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/**
 * The connections that wait for the rest of a request's head, whose parsed part is in the heap. With too many of them,
 * the one that has waited longest is closed: a client that means to send a head sends all of it, and waits for no more
 * than the network.
 *
 * <p>Thread-safe.
 */
public final class PendingHeads {
    private final int most;

    @GuardedBy("this")
    private final Set<EndPoint> waiting = new LinkedHashSet<>(); // longest first

    /** None yet, and never more than {@code most}. */
    public PendingHeads(int most) {
        this.most = most;
    }

    /** Adds a connection that begins to wait. */
    public void begin(EndPoint endPoint) {
        EndPoint closed = add(endPoint);
        if (closed != null) {
            closed.close(new TimeoutException("too many heads of requests are incomplete"));
        }
    }

    private synchronized @Nullable EndPoint add(EndPoint endPoint) {
        waiting.add(endPoint);
        if (waiting.size() <= most) {
            return null;
        }
        Iterator<EndPoint> longest = waiting.iterator();
        EndPoint first = longest.next();
        longest.remove();
        return first;
    }

    /** Removes a connection that has received something, or was closed. */
    public synchronized void end(EndPoint endPoint) {
        waiting.remove(endPoint);
    }
}
