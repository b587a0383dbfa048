// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.time.InstantSource;
import org.apache.curator.framework.state.ConnectionState;
import org.talos.server.runtime.time.Ticker;

/**
 * This server's session with ZooKeeper, and its state in the cluster, which only goes forward.
 *
 * <p>A session cannot expire for its whole timeout after the client sent a heartbeat that ZooKeeper answered. So this
 * server may answer for half of that time, connected or not, and an election of ZooKeeper stops no server. After that
 * time it may not answer, even if the client reports that it is connected: after a pause of the process, the client
 * learns late that the session has expired (CURATOR-460). The elapsed time is the larger of the monotonic clock's and
 * the wall clock's: the monotonic clock does not count while the machine is suspended, but ZooKeeper does. A wall clock
 * that is set forward stops this server only until the next answered heartbeat.
 *
 * <p>Thread-safe.
 */
final class ClusterSession {
    private final Ticker ticker;
    private final InstantSource clock;
    private volatile State state = State.MEMBER;
    private volatile int interruptions; // of the connection, so far
    private volatile boolean connected;
    private volatile long session; // id of the session that is registered and has read all nodes; 0: none
    private volatile boolean stale; // events may be missed: read all nodes again
    private volatile Moment lastAnswered = new Moment(0, 0); // when the last answered heartbeat was sent
    private volatile Duration live = Duration.ZERO;

    /**
     * A session that is not registered yet.
     *
     * @param clock this machine's wall clock, which counts on while the machine is suspended
     */
    ClusterSession(Ticker ticker, InstantSource clock) {
        this.ticker = ticker;
        this.clock = clock;
    }

    /** A time by both clocks. Immutable. */
    record Moment(long nanos, long wallMillis) {
        /** The time from this moment to the other, by the clock that shows more of it. */
        Duration until(Moment later) {
            Duration ticked = Duration.ofNanos(later.nanos - nanos);
            Duration shown = Duration.ofMillis(later.wallMillis - wallMillis);
            return ticked.compareTo(shown) > 0 ? ticked : shown;
        }
    }

    /** This moment: to be taken before a heartbeat is sent. */
    Moment now() {
        return new Moment(ticker.nanos(), clock.millis());
    }

    /** The state in the cluster: only a later one may follow. */
    enum State {
        /** Registers, again whenever a session is lost. */
        MEMBER,
        /** About to stop: never registers again. */
        LEAVING,
        /** Another process has registered under this server's id. */
        REPLACED,
        CLOSED
    }

    /** Records the connection's state. Returns whether a registered session has expired. */
    synchronized boolean onConnectionState(ConnectionState now) {
        connected = now.isConnected();
        if (connected) {
            return false;
        }
        interruptions = interruptions + 1;
        if (now != ConnectionState.LOST) {
            return false;
        }
        boolean wasRegistered = session != 0;
        session = 0;
        return wasRegistered;
    }

    /** Number of interruptions of the connection so far, for {@link #joined}. */
    int interruptions() {
        return interruptions;
    }

    /**
     * Records that this server is registered and has read all nodes. Returns false if the connection was interrupted
     * since: the session may have changed, and events may be missed.
     *
     * @param interruptionsBefore {@link #interruptions} when the reading began
     */
    synchronized boolean joined(long sessionId, int interruptionsBefore, Moment asked, int timeoutMillis) {
        if (interruptions != interruptionsBefore) {
            return false;
        }
        lastAnswered = asked;
        live = Duration.ofMillis(timeoutMillis).dividedBy(2);
        stale = false;
        session = sessionId;
        return true;
    }

    /**
     * Reads all nodes again, since events may be missed. This server continues to serve, and no heartbeat prolongs
     * that.
     */
    synchronized void reread() {
        interruptions = interruptions + 1;
        stale = true;
    }

    /** Records an answered heartbeat: when it was sent, and which session owns this server's node. */
    synchronized void answered(Moment asked, long ownerSession) {
        if (session != 0 && ownerSession != session) {
            session = 0;
        } else if (!stale && asked.nanos - lastAnswered.nanos > 0) {
            lastAnswered = asked;
        }
    }

    /** Returns whether this server should register. */
    boolean shouldJoin() {
        return connected && (session == 0 || stale) && state == State.MEMBER;
    }

    /**
     * Returns whether the session cannot have expired, so that no other server is given this one's partitions as one's
     * gone.
     */
    boolean mayAnswer() {
        State now = state;
        return session != 0
                && (now == State.MEMBER || now == State.LEAVING)
                && lastAnswered.until(now()).compareTo(live) < 0;
    }

    /** Returns whether the session is known to be live, and this server learns of all changes. */
    boolean isLive() {
        return connected && !stale && mayAnswer();
    }

    /**
     * Returns whether a heartbeat sent at or after that time was answered: watch events arrive before later answers.
     */
    boolean hasHeardSince(long nanos) {
        return isLive() && lastAnswered.nanos - nanos >= 0;
    }

    boolean isConnected() {
        return connected;
    }

    /** Returns whether this server serves: it is registered and not leaving. */
    boolean isServing() {
        return session != 0 && state == State.MEMBER;
    }

    long id() {
        return session;
    }

    State state() {
        return state;
    }

    /** Advances to the state and returns true, if it is a later one. */
    synchronized boolean advance(State next) {
        boolean later = next.compareTo(state) > 0;
        if (later) {
            state = next;
        }
        return later;
    }
}
