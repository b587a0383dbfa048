// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.runtime.Ticker;

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

    private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);
    /** So much of an interval a sign may come late. */
    private static final int STEPS = 8;

    private static final Duration LONGEST_STEP = Duration.ofSeconds(1);

    private final int max;
    private final Duration interval;
    private final Alarm alarm;
    private final Ticker ticker;
    private final CompletableFuture<@Nullable Void> allEnded = new CompletableFuture<>();

    @GuardedBy("this")
    private final Map<Stream, Long> open = new LinkedHashMap<>(); // by when they show a sign; the next one first

    @GuardedBy("this")
    private boolean set; // the alarm

    private volatile boolean stopped;

    /**
     * None is open.
     *
     * @param interval of signs
     */
    public OpenStreams(int max, Duration interval, Alarm alarm, Ticker ticker) {
        this.max = max;
        this.interval = interval;
        this.alarm = alarm;
        this.ticker = ticker;
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

        /** Shows the client a sign, if nothing else is being written. Never blocks. */
        default void beat() {}
    }

    /** Runs a task after a while. Thread-safe. */
    public interface Alarm {
        /** Sets it. */
        void in(Duration delay, Runnable task);
    }

    /**
     * Adds a stream.
     *
     * @throws ProblemException 503: there are too many, or the server stops
     */
    public synchronized void add(Stream stream) {
        if (stopped || open.size() >= max) {
            throw ProblemException.refused(503, "too-many-streams", "no further stream is taken now");
        }
        open.put(stream, ticker.nanos() + interval.toNanos());
        setAlarm();
    }

    @GuardedBy("this")
    private void setAlarm() {
        if (!set && !open.isEmpty() && !stopped) {
            set = true;
            Duration step = interval.dividedBy(STEPS);
            alarm.in(step.compareTo(LONGEST_STEP) < 0 ? step : LONGEST_STEP, this::look);
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
        for (Map.Entry<Stream, Long> each : open.entrySet()) {
            if (each.getValue() - now > 0) {
                break;
            }
            due.add(each.getKey());
        }
        for (Stream each : due) {
            open.remove(each);
            open.put(each, now + interval.toNanos()); // behind all others
        }
        setAlarm();
        return due;
    }

    /** Removes a stream that has ended, or was never started. */
    public void remove(Stream stream) {
        synchronized (this) {
            open.remove(stream);
        }
        endIfEmpty();
    }

    private void endIfEmpty() {
        if (stopped && count() == 0) {
            allEnded.complete(null);
        }
    }

    /** How many are open. */
    public synchronized int count() {
        return open.size();
    }

    /** Refuses further streams, and ends those that are open; completes when they have ended. */
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
