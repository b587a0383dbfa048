// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.state.ConnectionState;
import org.talos.server.runtime.Ticker;

/**
 * This server's session with ZooKeeper, and its state in the cluster, which only goes forward.
 *
 * <p>The session has not expired for its whole timeout after the sending of a heartbeat that ZooKeeper has answered. So
 * this server may answer for half of that time, connected or not: an election of ZooKeeper stops nobody. Later it may
 * not, even if the client says that it is connected: after a pause of the process that learns late that the session has
 * expired (CURATOR-460).
 *
 * <p>Thread-safe.
 */
final class ClusterSession {
    private final Ticker ticker;
    private volatile State state = State.MEMBER;
    private volatile int interruptions; // of the connection, so far
    private volatile boolean connected;
    private volatile long session; // id of the session that is registered and has read all nodes; 0: none
    private volatile boolean stale; // events may have been missed: all nodes are to be read again
    private volatile long lastAnswered; // when the last answered heartbeat was sent
    private volatile long liveNanos;

    ClusterSession(Ticker ticker) {
        this.ticker = ticker;
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
    synchronized boolean connectionIs(ConnectionState now) {
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
     * Records that this server is registered and has read all nodes. False if the connection was interrupted meanwhile:
     * the session may have changed then, and events may have been missed.
     *
     * @param interruptionsBefore {@link #interruptions} when the reading began
     */
    synchronized boolean joined(long sessionId, int interruptionsBefore, long askedNanos, int timeoutMillis) {
        if (interruptions != interruptionsBefore) {
            return false;
        }
        lastAnswered = askedNanos;
        liveNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 2;
        stale = false;
        session = sessionId;
        return true;
    }

    /**
     * Events may have been missed: all nodes are read again. This server goes on serving meanwhile, and no heartbeat
     * prolongs that.
     */
    synchronized void reread() {
        interruptions = interruptions + 1;
        stale = true;
    }

    /** Records an answered heartbeat: when it was sent, and which session owns this server's node. */
    synchronized void answered(long askedNanos, long ownerSession) {
        if (session != 0 && ownerSession != session) {
            session = 0;
        } else if (!stale && askedNanos - lastAnswered > 0) {
            lastAnswered = askedNanos;
        }
    }

    /** Whether this server should register. */
    boolean shouldJoin() {
        return connected && (session == 0 || stale) && state == State.MEMBER;
    }

    /** Whether the session can't have expired, so that no other server is given this one's partitions as one's gone. */
    boolean mayAnswer() {
        State now = state;
        return session != 0
                && (now == State.MEMBER || now == State.LEAVING)
                && ticker.nanos() - lastAnswered < liveNanos;
    }

    /** Whether the session is known to be live, and this server hears of all changes. */
    boolean isLive() {
        return connected && !stale && mayAnswer();
    }

    /** Whether a heartbeat sent at or after that time was answered: watch events arrive before later answers. */
    boolean hasHeardSince(long nanos) {
        return isLive() && lastAnswered - nanos >= 0;
    }

    boolean isConnected() {
        return connected;
    }

    /** Whether this server serves: it is registered and not leaving. */
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
