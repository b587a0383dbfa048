// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/**
 * The connections that wait for the rest of a request's head, whose parsed part is in the heap. With too many of them,
 * the one whose head began first is closed, even if it sends a byte now and then: a client that means to send a head
 * sends all of it, and waits only for the network.
 *
 * <p>Jetty does not bound the number of connections with an incomplete head.
 *
 * <p>Thread-safe.
 */
public final class PendingHeads {
    private final int most;
    private final AtomicLong places = new AtomicLong();

    @GuardedBy("this")
    private final TreeMap<Place, EndPoint> waiting = new TreeMap<>(); // the head that began first is the first

    /** A head's place in the order of the waiting heads. Immutable. */
    public static final class Place implements Comparable<Place> {
        private final long beganNanos;
        private final long number; // distinguishes heads that began at the same time

        Place(long beganNanos, long number) {
            this.beganNanos = beganNanos;
            this.number = number;
        }

        @Override
        public int compareTo(Place other) {
            long later = beganNanos - other.beganNanos; // nanoseconds may overflow
            return later == 0 ? Long.compare(number, other.number) : Long.signum(later);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Place place && compareTo(place) == 0;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    /** None yet, and never more than {@code most}. */
    public PendingHeads(int most) {
        this.most = most;
    }

    /** Returns the place of a head whose first byte came at that time. */
    public Place placeOf(long beganNanos) {
        return new Place(beganNanos, places.incrementAndGet());
    }

    /** Adds a connection that begins to wait for the rest of a head. */
    public void begin(Place place, EndPoint endPoint) {
        EndPoint closed = add(place, endPoint);
        if (!endPoint.isOpen()) { // it was closed before it had its place
            end(place);
        }
        if (closed != null) {
            closed.close(new TimeoutException("too many heads of requests are incomplete"));
        }
    }

    private synchronized @Nullable EndPoint add(Place place, EndPoint endPoint) {
        waiting.put(place, endPoint);
        Map.Entry<Place, EndPoint> first = waiting.size() > most ? waiting.pollFirstEntry() : null;
        return first == null ? null : first.getValue();
    }

    /** Removes a connection that has received something, or was closed. */
    public synchronized void end(Place place) {
        waiting.remove(place);
    }
}
