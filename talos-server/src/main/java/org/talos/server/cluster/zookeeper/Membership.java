// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.state.ConnectionState;
import org.talos.server.runtime.Ticker;

/**
 * Whether this server belongs to the cluster, as one state that only goes forward, and what it may still believe of its
 * session. A connection alone says nothing: after a pause of the process the client is late to learn that it is gone
 * (CURATOR-460). So what counts is how long ago ZooKeeper has answered, from when it was asked.
 *
 * <p>Thread-safe.
 */
final class Membership {
    private final Ticker ticker;
    private volatile State state = State.MEMBER;
    private volatile int interruptions; // of the connection
    private volatile boolean connected;
    private volatile long session; // under which this server is registered and has read everything; 0: none
    private volatile long lastAnswered; // when the last question was put that was answered
    private volatile long believedNanos;

    Membership(Ticker ticker) {
        this.ticker = ticker;
    }

    /** From the beginning to the end: each is followed by later ones only. */
    enum State {
        /** Registers, again whenever a session is lost. */
        MEMBER,
        /** About to stop: never registers again. */
        LEAVING,
        /** Another process has taken this server's name. */
        REPLACED,
        CLOSED
    }

    /** What Curator says of the connection. Returns whether a session has ended that was a member. */
    synchronized boolean connectionIs(ConnectionState now) {
        connected = now.isConnected();
        if (connected) {
            return false;
        }
        interruptions = interruptions + 1;
        if (now != ConnectionState.LOST) {
            return false;
        }
        boolean was = session != 0;
        session = 0;
        return was;
    }

    /** How often the connection was interrupted so far, for {@link #joined}. */
    int interruptions() {
        return interruptions;
    }

    /**
     * Registered under this session, and everything is read. False if the connection was interrupted meanwhile: then
     * the session may be another one, and not everything may have been read.
     *
     * @param interruptionsBefore how many there had been when that was begun
     */
    synchronized boolean joined(long sessionId, int interruptionsBefore, long askedNanos, int timeoutMillis) {
        if (interruptions != interruptionsBefore) {
            return false;
        }
        lastAnswered = askedNanos;
        believedNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 2;
        session = sessionId;
        return true;
    }

    /** What is known may have a gap: everything is to be read again before this server serves on. */
    synchronized void misread() {
        interruptions = interruptions + 1;
        session = 0;
    }

    /** ZooKeeper has answered a question of that time, and this server's node is of that session. */
    synchronized void answered(long askedNanos, long ownerSession) {
        if (session != 0 && ownerSession != session) {
            session = 0;
        } else if (askedNanos - lastAnswered > 0) {
            lastAnswered = askedNanos;
        }
    }

    /** Whether this server is to register. */
    boolean isToJoin() {
        return connected && session == 0 && state == State.MEMBER;
    }

    /** Whether this server may still believe that its session lives. */
    boolean isBelieved() {
        State now = state;
        return connected
                && session != 0
                && (now == State.MEMBER || now == State.LEAVING)
                && ticker.nanos() - lastAnswered < believedNanos;
    }

    /** Whether a question was answered that was asked at or after that time: news come before answers. */
    boolean hasHeardSince(long nanos) {
        return isBelieved() && lastAnswered - nanos >= 0;
    }

    boolean isConnected() {
        return connected;
    }

    /** Whether this server serves: it has a session, and is not about to leave. */
    boolean isServing() {
        return session != 0 && state == State.MEMBER;
    }

    long session() {
        return session;
    }

    State state() {
        return state;
    }

    /** Goes on to that state, if it is a later one. */
    synchronized boolean advance(State next) {
        boolean later = next.compareTo(state) > 0;
        if (later) {
            state = next;
        }
        return later;
    }
}
