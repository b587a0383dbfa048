// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.runtime.time.Ticker;

/**
 * The requests that have no end of their own: counted, ended when the server stops, and asked at an interval to show
 * their clients that they are there. One task at a time does that for all of them.
 *
 * <p>Thread-safe.
 */
public final class OpenStreams {
    /**
     * Over which clients that are sent elsewhere come there; more than two thousand take a second for each thousand.
     */
    private static final int LEAVE_WITHIN_MILLIS = 2_000;

    /** The number of idle times that have {@link #SIGNS}. */
    private static final int IDLE_TIMES = 2;

    private static final int SIGNS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);
    /** So much of an interval a sign may come late. */
    private static final int STEPS = 8;

    private static final Duration LONGEST_STEP = Duration.ofSeconds(1);

    private final Bounds bounds;
    private final Duration interval;
    private final Duration step;
    private final Alarm alarm;
    private final Ticker ticker;
    private final CompletableFuture<@Nullable Void> allEnded = new CompletableFuture<>();

    @GuardedBy("this")
    private final Map<Stream, Entry> open = byNextSign();

    @GuardedBy("this")
    private final Map<String, Integer> byUser = new HashMap<>();

    @GuardedBy("this")
    private boolean set; // the alarm

    private volatile boolean stopped;

    /**
     * None is open.
     *
     * @param interval of signs
     */
    public OpenStreams(Bounds bounds, Duration interval, Alarm alarm, Ticker ticker) {
        this.bounds = bounds;
        this.interval = interval;
        Duration part = interval.dividedBy(STEPS);
        step = part.compareTo(LONGEST_STEP) < 0 ? part : LONGEST_STEP;
        this.alarm = alarm;
        this.ticker = ticker;
    }

    /**
     * The longest silence on a connection, as a part of its idle timeout: 48 s of the usual 120 s, as most proxies give
     * up a connection that is silent for 60 s, and some after 50 s.
     *
     * @param idleTimeout of the server's connections
     */
    public static Duration interval(Duration idleTimeout) {
        return idleTimeout.multipliedBy(IDLE_TIMES).dividedBy(SIGNS);
    }

    /** The next stream first: a new or changed one goes behind all others. */
    private static Map<Stream, Entry> byNextSign() {
        return new LinkedHashMap<>(16, 0.75f, true);
    }

    /**
     * How many there may be. Immutable.
     *
     * @param all of all users
     * @param perUser of one of them
     */
    public record Bounds(int all, int perUser) {}

    /** An open stream: when it shows the next sign, and whose it is. Immutable. */
    private record Entry(long signNanos, String userId) {}

    /** A request or an answer without an end. Thread-safe. */
    public interface Stream {
        /**
         * Ends the stream soon, in order.
         *
         * @param withinMillis time over which the clients of all streams move to other servers, each at its own time
         */
        void stop(int withinMillis);

        /**
         * Asks the client to go elsewhere, and serves it as long as it stays. Does nothing for a client that cannot be
         * asked.
         *
         * @param withinMillis as for {@link #stop}
         */
        default void move(int withinMillis) {
            // Who is not asked stays.
        }

        /** Shows the client a sign, if nothing else is being written. Never blocks. */
        default void beat() {}
    }

    /** Runs a task after a while. Thread-safe. */
    public interface Alarm {
        /** Sets it. */
        void in(Duration delay, Runnable task);
    }

    /**
     * Adds a stream of a user.
     *
     * @throws ProblemException 503: there are too many, or the server stops; 429: the user has as many as it may have
     */
    public synchronized void add(Stream stream, String userId) {
        if (stopped || open.size() >= bounds.all()) {
            throw ProblemException.refused(503, "too-many-streams", "no further stream is taken now");
        }
        if (byUser.getOrDefault(userId, 0) >= bounds.perUser()) {
            throw ProblemException.refused(
                    429,
                    "too-many-streams",
                    bounds.perUser() + " streams of yours are open at this server (http.limits.streamsPerUser)");
        }
        byUser.merge(userId, 1, Integer::sum);
        open.put(stream, new Entry(ticker.nanos() + interval.toNanos(), userId));
        setAlarm();
    }

    @GuardedBy("this")
    private void setAlarm() {
        if (!set && !open.isEmpty() && !stopped) {
            set = true;
            alarm.in(step, this::look);
        }
    }

    private void look() {
        for (Stream each : takeDue()) {
            try {
                each.beat();
            } catch (RuntimeException e) { // the others have nothing to do with it
                LOG.error("stream failed", e);
            }
        }
    }

    private synchronized List<Stream> takeDue() {
        set = false;
        long now = ticker.nanos();
        List<Stream> due = new ArrayList<>();
        for (Map.Entry<Stream, Entry> each : open.entrySet()) {
            if (each.getValue().signNanos() - now > 0) {
                break;
            }
            due.add(each.getKey());
        }
        long next = now + interval.toNanos();
        due.forEach(each -> open.computeIfPresent(each, (stream, entry) -> new Entry(next, entry.userId())));
        setAlarm();
        return due;
    }

    /** Removes a stream that has ended, or was never started. */
    public void remove(Stream stream) {
        synchronized (this) {
            Entry removed = open.remove(stream);
            if (removed != null) {
                byUser.computeIfPresent(removed.userId(), (user, count) -> count == 1 ? null : count - 1);
            }
        }
        endIfEmpty();
    }

    private void endIfEmpty() {
        if (stopped && count() == 0) {
            allEnded.complete(null);
        }
    }

    /** Returns the number of open streams. */
    public synchronized int count() {
        return open.size();
    }

    /** Refuses further streams, and ends the open ones; completes when they have ended. */
    public CompletableFuture<@Nullable Void> stop() {
        List<Stream> ending;
        synchronized (this) {
            stopped = true;
            ending = List.copyOf(open.keySet());
        }
        ending.forEach(each -> each.stop(within(ending)));
        endIfEmpty();
        return allEnded;
    }

    /** The server is drained: the clients that are here now are asked to go elsewhere. Those that come later stay. */
    public void move() {
        List<Stream> asked;
        synchronized (this) {
            asked = List.copyOf(open.keySet());
        }
        asked.forEach(each -> each.move(within(asked)));
    }

    private static int within(List<Stream> leaving) {
        return Math.max(LEAVE_WITHIN_MILLIS, leaving.size());
    }

    public boolean isStopped() {
        return stopped;
    }
}
