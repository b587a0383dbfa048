// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.RoutedCalls;

/**
 * Decides when and over which stream each put of a producer is sent. It is notified of arrivals and ends, and asks its
 * ground to open streams and make calls. Uses no threads and no I/O.
 *
 * <p>Invariant: puts of a partition are stored in the order in which they were handed over, each once. A put that a
 * broken stream may have stored is sent again on a stream, under its number, and never by a call, which has another
 * identity.
 *
 * <p>Confined: the lock of its {@link StreamPuts}.
 */
final class PutSession {
    private static final Logger LOG = LoggerFactory.getLogger(PutSession.class);
    private static final String METHOD = "putMessage";
    private static final String PUT_BEFORE_REFUSED = "PUT_BEFORE_REFUSED";
    private static final Duration ROUTES_AGE = Duration.ofSeconds(30);

    private final Ground ground;
    private final RoutedCalls routes;
    private final String topic;
    private final Duration timeout;
    private final boolean gapless;
    private final Rests rests;
    private final Map<Integer, PutLane> lanes = new HashMap<>();
    private final Map<URI, PutLink> links = new HashMap<>(); // usable ones
    private final Set<PutLink> all = new HashSet<>(); // those that have not ended
    private int pending; // puts that have not ended
    private long routesNanos;
    private boolean closed;
    private long closedNanos;

    /** The actions that the session needs. Confined: as the session. */
    interface Ground {
        /** Returns the monotonic clock. */
        long nanos();

        /** Opens a stream; the session is notified of the outcome later. */
        void open(PutLink link);

        /**
         * Makes a put by a call, which ends it.
         *
         * @param ended runs behind the call, as a step of the session
         */
        void call(PendingPut put, Runnable ended);

        /** Reports that a put is stored, or has failed. */
        void end(PendingPut put, @Nullable CallFailure failure);
    }

    /**
     * Creates a session without a stream.
     *
     * @param timeout for a stream with waiting puts to answer or to grant credit
     * @param gapless whether nothing more is stored in a partition behind a put that failed
     */
    PutSession(
            Ground ground,
            RoutedCalls routes,
            String topic,
            Duration timeout,
            boolean gapless,
            RandomGenerator random) {
        this.ground = ground;
        this.routes = routes;
        this.topic = topic;
        this.timeout = timeout;
        this.gapless = gapless;
        routesNanos = ground.nanos();
        rests = new Rests(random, routesNanos);
    }

    /** Takes a put. */
    void put(PendingPut put) {
        if (closed) {
            ground.end(put, CallFailure.closed(true));
            return;
        }
        PutLane lane = lanes.computeIfAbsent(put.partition.number(), none -> new PutLane());
        if (lane.isStopped()) {
            ground.end(put, behindAFailed());
            return;
        }
        lane.add(put);
        pending++;
        go(lane);
    }

    private void end(PendingPut put, @Nullable CallFailure failure) {
        pending--;
        ground.end(put, failure);
    }

    private void fail(PutLane lane, PendingPut put, CallFailure failure) {
        end(put, failure);
        stopBehind(lane);
    }

    /** Fails the puts behind a failed one, if nothing may be stored behind it. */
    private void stopBehind(PutLane lane) {
        if (gapless) {
            lane.stop().forEach(behind -> end(behind, behindAFailed()));
        }
    }

    private static CallFailure behindAFailed() {
        return CallFailure.unsent("a put in front of it into this partition has failed");
    }

    /** Sends the next puts of a partition, if that is allowed. */
    private void go(PutLane lane) {
        PendingPut next = lane.next(ground.nanos());
        if (next == null || lane.isQueued() || closed) {
            return;
        }
        if (next.wasCalled() && lane.isIdle()) {
            call(lane);
        } else {
            go(lane, next);
        }
    }

    private void go(PutLane lane, PendingPut next) {
        PutLink link = lane.link();
        URI server = routes.serverOf(next.partition);
        boolean isSettled = link != null && links.get(server) == link;
        if (!lane.isIdle() && !isSettled) {
            return; // the partition moves once all its puts are answered
        }
        PutLink to = isSettled ? link : linkFor(server, next);
        if (to != null) {
            to.add(lane);
            pump(to);
        } else if (!next.maybeStored()) {
            call(lane);
        }
    }

    /** Returns the stream for a put; opened if there is none, and null if none can be opened now. */
    private @Nullable PutLink linkFor(URI server, PendingPut put) {
        PutLink at = linkTo(server);
        if (at != null || !put.maybeStored()) {
            return at;
        }
        URI other = routes.endpoint();
        PutLink there = linkTo(other);
        return there != null ? there : links.values().stream().findAny().orElse(null);
    }

    private @Nullable PutLink linkTo(URI server) {
        PutLink known = links.get(server);
        long now = ground.nanos();
        if (known != null || !rests.mayOpen(server, now)) {
            return known;
        }
        PutLink link = new PutLink(server, now);
        links.put(server, link);
        all.add(link);
        ground.open(link);
        return link;
    }

    /** Sends the puts for which a stream has credit. */
    private void pump(PutLink link) {
        long now = ground.nanos();
        for (PutLane lane = link.isOpen() ? link.first() : null; lane != null; lane = link.first()) {
            PendingPut next = lane.next(now);
            if (next != null && link.fits(next) && !link.hasCredit(next)) {
                return;
            }
            link.poll();
            if (next != null) {
                send(lane, next, link, now);
            }
        }
    }

    private void send(PutLane lane, PendingPut put, PutLink link, long now) {
        boolean isFirst = lane.isIdle();
        if (link.fits(put)) {
            link.send(lane.send(), !isFirst, now);
            advance(lane, link, now);
        } else if (isFirst && !put.maybeStored()) {
            call(lane);
        }
    }

    /** Moves a partition behind the others, if it continues on this stream. */
    private void advance(PutLane lane, PutLink link, long now) {
        PendingPut next = lane.next(now);
        if (next != null && links.get(routes.serverOf(next.partition)) == link) {
            link.add(lane);
        }
    }

    /** Sends the next put of a partition by a call. */
    private void call(PutLane lane) {
        PendingPut put = lane.call();
        put.called();
        ground.call(put, () -> called(lane, put));
    }

    private void called(PutLane lane, PendingPut put) {
        pending--;
        lane.called();
        if (put.done.isCompletedExceptionally()) {
            stopBehind(lane);
        }
        go(lane);
    }

    /** Handles a message of the server. */
    void received(PutLink link, ServerMessage message) {
        long now = ground.nanos();
        if (message instanceof ServerMessage.Opened opened) {
            routes.answered(link.server());
            link.opened(opened, now);
        } else if (message instanceof ServerMessage.Stored stored) {
            stored.places().forEach(place -> stored(link, place, now));
        } else if (message instanceof ServerMessage.Refused refused) {
            refused(link, refused, now);
        } else if (message instanceof ServerMessage.Credit credit) {
            link.granted(credit.bytes(), now);
        } else if (message instanceof ServerMessage.Move move) {
            move(link, move);
        }
        pump(link);
        if (link.isLeaving() && link.isIdle()) {
            link.close(); // a drained server continues to serve clients that stay
        }
    }

    private void stored(PutLink link, ServerMessage.Place place, long now) {
        if (!link.hasStored()) {
            rests.worked(link.server());
        }
        link.answered(true, now);
        PutLane lane = lanes.get(place.partition());
        PendingPut put = lane == null ? null : lane.answered(place.number());
        if (lane != null && put != null) {
            routes.tried(METHOD, link.server(), Duration.ofNanos(now - put.sentNanos()), null);
            lane.stored();
            put.stored(place.offset());
            end(put, null);
            go(lane);
        }
    }

    private void refused(PutLink link, ServerMessage.Refused answer, long now) {
        link.answered(false, now);
        PutLane lane = lanes.get(answer.partition());
        PendingPut put = lane == null ? null : lane.answered(answer.number());
        if (lane == null || put == null) {
            return;
        }
        StreamProblem problem = answer.problem();
        if (problem.code().equals(PUT_BEFORE_REFUSED)) {
            put.back();
            giveBack(lane, put, behindAFailed());
            go(lane);
            return;
        }
        CallFailure failure =
                CallFailure.refused(problem.code(), problem.status(), answer.surelyNotDone(), problem.detail());
        put.failed(failure);
        routes.tried(METHOD, link.server(), Duration.ofNanos(now - put.sentNanos()), failure);
        routes.refused(put.partition, link.server(), failure);
        Duration pause = failure.retriable() ? routes.pause(METHOD, failure, put.tries()) : Duration.ZERO;
        if (failure.retriable() && now + pause.toNanos() + RoutedCalls.LEAST_NANOS - put.repeatUntilNanos < 0) {
            giveBack(lane, put, failure);
            lane.pause(now + pause.toNanos());
        } else {
            lane.refused();
            fail(lane, put, failure);
        }
        go(lane);
    }

    /** Sends a put again, unless a put in front of it has failed since then and nothing may be stored behind it. */
    private void giveBack(PutLane lane, PendingPut put, CallFailure failure) {
        if (lane.isStopped()) {
            lane.refused();
            end(put, failure);
        } else {
            lane.giveBack(put);
        }
    }

    /**
     * Handles the stop of the server: it answers the puts in progress, and the next stream is opened to another server.
     */
    private void move(PutLink link, ServerMessage.Move move) {
        link.leave();
        links.remove(link.server(), link);
        routes.unreachable(link.server());
        rests.allUntil(ground.nanos() + Duration.ofMillis(move.afterMillis()).toNanos());
        goElsewhere(link);
    }

    /** Sends waiting puts by calls, or over another stream. */
    private void goElsewhere(PutLink link) {
        List<PutLane> left = new ArrayList<>();
        while (link.first() != null) {
            left.add(link.poll());
        }
        left.forEach(this::go);
    }

    /** Handles the end of a stream, or its failed opening. */
    void over(PutLink link, IOException why) {
        links.remove(link.server(), link);
        all.remove(link);
        if (closed) {
            return;
        }
        boolean isBroken = !link.isLeaving() && !(link.isIdle() && link.hasStored());
        if (isBroken) {
            LOG.warn("stream ended, using other streams or calls topic={} why={}", topic, why.toString());
            rests.failed(link.server(), why, ground.nanos());
            if (!(why instanceof UpgradeRefusedException)) {
                routes.unreachable(link.server());
            }
        }
        CallFailure unanswered = CallFailure.unanswered(link.server().toString(), why);
        List<PutLane> cut = lanes.values().stream()
                .filter(lane -> lane.link() == link && !lane.isEmpty())
                .sorted(Comparator.comparingLong(PutLane::oldest))
                .toList();
        long now = ground.nanos();
        cut.forEach(lane -> {
            lane.cut().forEach(put -> put.failed(unanswered));
            lane.takeSpent(now).forEach(put -> fail(lane, put, unanswered));
            if (lane.isStopped()) { // they were in flight behind one that has failed
                lane.takeAll().forEach(put -> end(put, behindAFailed()));
            }
        });
        goElsewhere(link);
        cut.forEach(this::go);
    }

    /** Returns whether there is something to check from time to time: puts, and in the end streams that do not end. */
    boolean isBusy() {
        return closed ? !all.isEmpty() : pending > 0;
    }

    /** Ends expired puts and stalled streams, and resumes what waited for a time. */
    void tick() {
        long now = ground.nanos();
        if (closed) {
            abortLate(now);
            return;
        }
        for (PutLink link : List.copyOf(all)) {
            if (link.isStuck(now, timeout.toNanos())) {
                link.abort("nothing was answered within " + timeout);
            } else if (link.isIdle() && link.isOpen() && isLeft(link)) {
                links.remove(link.server(), link);
                link.leave();
                link.close();
            }
        }
        for (PutLane lane : lanes.values()) {
            lane.takeLate(now).forEach(put -> fail(lane, put, late(put)));
            go(lane);
            refreshRoutes(lane, now);
        }
    }

    /** The longest wait for a close frame: the same as for an answer. */
    private void abortLate(long now) {
        if (now - closedNanos > timeout.toNanos()) {
            List.copyOf(all).forEach(link -> link.abort("it did not end within " + timeout));
        }
    }

    /**
     * Moves partitions to their new servers. A server also serves requests for other servers' partitions, so it never
     * notifies the client that they have moved.
     */
    private void refreshRoutes(PutLane lane, long now) {
        PendingPut next = lane.next(now);
        if (next != null && now - routesNanos > ROUTES_AGE.toNanos()) {
            routesNanos = now;
            routes.refresh(next.partition);
        }
    }

    /** Returns whether all partitions have moved from a stream to another one. */
    private boolean isLeft(PutLink link) {
        return links.size() > 1 && lanes.values().stream().noneMatch(lane -> lane.link() == link);
    }

    private CallFailure late(PendingPut put) {
        CallFailure last = put.lastFailure();
        return last == null ? CallFailure.unsent("no stream had room for it in time") : last;
    }

    /** Fails the puts in flight, and disconnects from the servers. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        closedNanos = ground.nanos();
        all.forEach(PutLink::close);
        for (PutLane lane : lanes.values()) {
            lane.takeAll().forEach(put -> end(put, CallFailure.closed(!put.maybeStored())));
        }
    }
}
