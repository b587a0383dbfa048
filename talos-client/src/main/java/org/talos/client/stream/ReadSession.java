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
import org.talos.client.transport.RoutedCalls;

/**
 * Decides which partitions of a topic are read over which stream. It is notified of arrivals and ends, and asks its
 * ground to open streams. Uses no threads and no I/O.
 *
 * <p>Invariant: messages that have arrived and were not taken never exceed the window of their stream. In every special
 * case (a beginning, a cut, a refusal), a call gets the reader's next messages. It retries, routes, and fails like any
 * other call. Streams only continue behind a successful call.
 *
 * <p>Confined: the lock of its {@link StreamReads}.
 */
final class ReadSession {
    private static final Logger LOG = LoggerFactory.getLogger(ReadSession.class);
    private static final Duration ROUTES_AGE = Duration.ofSeconds(30);
    /** The time after which a partition without a reader is released. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();
    /** A server that has sent nothing for this time may lack credit for a large block. */
    private static final long QUIET_NANOS = Duration.ofMillis(200).toNanos();
    /** The longest time for which one reader may delay others. */
    private static final long BLOCKED_NANOS = Duration.ofSeconds(1).toNanos();

    private final Ground ground;
    private final RoutedCalls routes;
    private final String topic;
    private final Duration timeout;
    private final Rests rests;
    private final Map<URI, ReadLink> links = new HashMap<>(); // usable ones
    private final Set<ReadLink> all = new HashSet<>(); // those that have not ended
    private long routesNanos;
    private boolean closed;

    /** The actions that the session needs. Confined: as the session. */
    interface Ground {
        /** Returns the monotonic clock. */
        long nanos();

        /** Reserves memory for the ready messages of one stream, if there is any. */
        boolean reserve();

        /** Releases this memory. */
        void release();

        /** Opens a stream; the session is notified of the outcome later. */
        void open(ReadLink link);

        /** Notifies a reader that messages are ready, or that no more will come. */
        void tell(ReadLane lane);
    }

    /** @param timeout in which a live server answers */
    ReadSession(Ground ground, RoutedCalls routes, String topic, Duration timeout, RandomGenerator random) {
        this.ground = ground;
        this.routes = routes;
        this.topic = topic;
        this.timeout = timeout;
        routesNanos = ground.nanos();
        rests = new Rests(random, routesNanos);
    }

    /**
     * Subscribes to a partition from an offset on, unless it already comes from there.
     *
     * @param isWanted whether its reader waits for that
     * @return false if a call must get its next messages
     */
    boolean read(ReadLane lane, long offset, boolean isWanted) {
        long now = ground.nanos();
        lane.use(isWanted, now);
        ReadLink on = lane.link();
        if (on == null) {
            return begin(lane, offset, now);
        }
        if (lane.covers(offset)) {
            on.taken(lane.skipTo(offset), now);
            return true;
        }
        if (offset < 0 || !on.isOpen()) {
            on.unsubscribe(lane, now);
            return false;
        }
        on.taken(lane.clear(), now);
        on.subscribe(lane, offset);
        return true;
    }

    private boolean begin(ReadLane lane, long offset, long now) {
        ReadLink link = linkTo(routes.serverOf(lane.partition()), now);
        if (link == null || !link.isOpen() || lane.isByCall() || offset < 0) {
            return false;
        }
        link.subscribe(lane, offset);
        return true;
    }

    /** Returns the stream to a server; opened if there is none, and null if none can be opened now. */
    private @Nullable ReadLink linkTo(URI server, long now) {
        ReadLink known = links.get(server);
        if (known != null) {
            known.use(now);
            return known;
        }
        if (closed || !rests.mayOpen(server, now) || !ground.reserve()) {
            return null;
        }
        ReadLink link = new ReadLink(server, now);
        links.put(server, link);
        all.add(link);
        ground.open(link);
        return link;
    }

    /** Notes that the reader has taken the messages before an offset. */
    void taken(ReadLane lane, long offset) {
        long now = ground.nanos();
        lane.use(false, now);
        ReadLink on = lane.link();
        if (on != null) {
            on.taken(lane.skipTo(offset), now);
        }
    }

    /** Ends the reading of a partition. */
    void leave(ReadLane lane) {
        ReadLink on = lane.link();
        if (on != null) {
            on.unsubscribe(lane, ground.nanos());
        }
    }

    /** Handles a message of the server. */
    void received(ReadLink link, ServerMessage message) {
        long now = ground.nanos();
        link.heard(now);
        if (message instanceof ServerMessage.Opened opened) {
            routes.answered(link.server());
            link.opened(opened, now);
        } else if (message instanceof ServerMessage.Block block) {
            came(link, block, now);
        } else if (message instanceof ServerMessage.Ended ended) {
            ended(link, ended, now);
        } else if (message instanceof ServerMessage.Move move) {
            move(link, move, now);
        }
    }

    /** Notes that the server has answered a ping, or sent one. */
    void heard(ReadLink link) {
        link.heard(ground.nanos());
    }

    private void came(ReadLink link, ServerMessage.Block block, long now) {
        if (!link.hasBrought()) {
            rests.worked(link.server());
        }
        link.brought(block.cost(), now);
        ReadLane lane = link.lane(block.partition());
        if (lane == null || !lane.add(block)) { // of a subscription that has been moved or ended
            link.grant(block.cost(), now);
            return;
        }
        link.holds(block.cost());
        ground.tell(lane);
    }

    /**
     * Ends a subscription that the server cannot continue. By a call, the reader gets the same answer, or another
     * server's.
     */
    private void ended(ReadLink link, ServerMessage.Ended ended, long now) {
        ReadLane lane = link.lane(ended.partition());
        if (lane != null) {
            LOG.debug("subscription ended partition={} why={}", lane.partition(), ended.problem());
            link.unsubscribe(lane, now); // it may have been another subscription than the one that is under way
            ground.tell(lane);
        }
    }

    /**
     * The server stops, or is drained: arriving messages are still read, and the next stream is opened to another
     * server.
     */
    private void move(ReadLink link, ServerMessage.Move move, long now) {
        long then = now + Duration.ofMillis(move.afterMillis()).toNanos();
        link.leaveUntil(then);
        links.remove(link.server(), link);
        routes.unreachable(link.server());
        rests.allUntil(then);
    }

    /** A stream is over, or could not be opened. */
    void over(ReadLink link, IOException why) {
        long now = ground.nanos();
        links.remove(link.server(), link);
        all.remove(link);
        ground.release();
        if (!link.isLeaving()) {
            LOG.warn("stream ended, using other streams or calls topic={} why={}", topic, why.toString());
            rests.failed(link.server(), why, now);
        }
        for (ReadLane lane : link.lanes()) {
            link.ended(lane, now);
            ground.tell(lane);
        }
    }

    /** Returns whether there is something to check from time to time. */
    boolean isBusy() {
        return !all.isEmpty();
    }

    /** Ends streams that are silent or not needed, and moves partitions to the servers that serve them now. */
    void tick() {
        long now = ground.nanos();
        for (ReadLink link : List.copyOf(all)) {
            if (link.isSilent(now, timeout.toNanos())) {
                link.abort("nothing was heard within " + timeout);
            } else {
                link.ping(now, timeout.toNanos());
                link.grantIfQuiet(now, QUIET_NANOS);
                leaveLanes(link, now);
                unblock(link, now);
                refreshRoutes(link, now);
                endIdle(link, now);
            }
        }
    }

    private void leaveLanes(ReadLink link, long now) {
        for (ReadLane lane : link.lanes()) {
            if (link.isToBeLeft(now) || lane.isLeft(now, PATIENCE_NANOS) || isElsewhere(link, lane, now)) {
                link.unsubscribe(lane, now);
                ground.tell(lane);
            }
        }
    }

    /** Returns whether a partition is at another server, which may be asked for a stream. */
    private boolean isElsewhere(ReadLink link, ReadLane lane, long now) {
        URI server = routes.serverOf(lane.partition());
        return link.isOpen()
                && !server.equals(link.server())
                && (links.containsKey(server) || rests.mayOpen(server, now));
    }

    /** Lets the partition with most unread data yield to others, as its reader does not take it. */
    private void unblock(ReadLink link, long now) {
        if (link.isBlocked(now, BLOCKED_NANOS)) {
            List<ReadLane> lanes = new ArrayList<>(link.lanes());
            lanes.sort(Comparator.comparingInt(ReadLane::bytes));
            ReadLane fullest = lanes.get(lanes.size() - 1);
            fullest.yieldToOthers();
            link.unsubscribe(fullest, now);
        }
    }

    /** A server answers for partitions of other servers too, so the client is never notified that they have moved. */
    private void refreshRoutes(ReadLink link, long now) {
        if (now - routesNanos > ROUTES_AGE.toNanos()) {
            link.lanes().stream().findAny().ifPresent(lane -> {
                routesNanos = now;
                routes.refresh(lane.partition());
            });
        }
    }

    private void endIdle(ReadLink link, long now) {
        if (link.isIdle(now, PATIENCE_NANOS)) {
            links.remove(link.server(), link);
            link.leaveUntil(now);
            link.close();
        }
    }

    /** Disconnects from the servers; nothing more comes. */
    void close() {
        closed = true;
        links.clear();
        long now = ground.nanos();
        for (ReadLink link : List.copyOf(all)) {
            link.lanes().forEach(lane -> {
                link.ended(lane, now);
                ground.tell(lane);
            });
            link.leaveUntil(now);
            link.close();
        }
    }
}
