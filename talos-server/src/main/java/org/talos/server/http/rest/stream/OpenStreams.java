// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.ProblemException;

/** The requests that have no end of their own: counted, and ended when the server stops. Thread-safe. */
public final class OpenStreams {
    /**
     * Over which clients that are sent elsewhere come there; more than two thousand take a second for each thousand.
     */
    private static final int LEAVE_WITHIN_MILLIS = 2_000;

    private final int max;
    private final Set<Stream> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<@Nullable Void> allEnded = new CompletableFuture<>();
    private volatile boolean stopped;

    public OpenStreams(int max) {
        this.max = max;
    }

    /** A request or an answer without an end. Thread-safe. */
    public interface Stream {
        /**
         * Ends the stream soon, in order.
         *
         * @param withinMillis over which the clients of all streams are to come elsewhere, each when it is told to
         */
        void stop(int withinMillis);

        /**
         * Asks the client to go elsewhere, and serves it as long as it stays. Does nothing for a client that can't be
         * asked.
         *
         * @param withinMillis as for {@link #stop}
         */
        default void move(int withinMillis) {
            // Who is not asked stays.
        }
    }

    /**
     * Adds a stream.
     *
     * @throws ProblemException 503: there are too many, or the server stops
     */
    public void add(Stream stream) {
        open.add(stream);
        if (stopped || open.size() > max) {
            open.remove(stream);
            throw ProblemException.refused(503, "too-many-streams", "no further stream is taken now");
        }
    }

    /** Removes a stream that has ended, or was never started. */
    public void remove(Stream stream) {
        open.remove(stream);
        endIfEmpty();
    }

    private void endIfEmpty() {
        if (stopped && open.isEmpty()) {
            allEnded.complete(null);
        }
    }

    /** How many are open. */
    public int count() {
        return open.size();
    }

    /** Refuses further streams, and ends those that are open; completes when they have ended. */
    public CompletableFuture<@Nullable Void> stop() {
        stopped = true;
        List<Stream> ending = List.copyOf(open);
        ending.forEach(each -> each.stop(within(ending)));
        endIfEmpty();
        return allEnded;
    }

    /** The server is drained: the clients that are here now are asked to go elsewhere. Those that come later stay. */
    public void move() {
        List<Stream> asked = List.copyOf(open);
        asked.forEach(each -> each.move(within(asked)));
    }

    private static int within(List<Stream> leaving) {
        return Math.max(LEAVE_WITHIN_MILLIS, leaving.size());
    }

    public boolean isStopped() {
        return stopped;
    }
}
