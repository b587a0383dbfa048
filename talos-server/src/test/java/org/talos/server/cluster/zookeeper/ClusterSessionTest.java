// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.cluster.zookeeper.ClusterSession.State;

class ClusterSessionTest {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final AtomicLong now = new AtomicLong();
    /** The time that the wall clock counted while the machine was suspended, and by which it was set. */
    private final AtomicLong wallMillis = new AtomicLong();

    private final ClusterSession session = new ClusterSession(
            now::get, () -> Instant.ofEpochMilli(TimeUnit.NANOSECONDS.toMillis(now.get()) + wallMillis.get()));

    @BeforeEach
    void join() {
        session.onConnectionState(ConnectionState.CONNECTED);
        assertThat(session.joined(7, session.interruptions(), session.now(), TIMEOUT_MILLIS))
                .isTrue();
    }

    @Test
    void afterAPauseTheSessionIsNotLiveThoughTheClientIsConnected() {
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        assertThat(session.isLive()).isTrue();

        now.addAndGet(TimeUnit.SECONDS.toNanos(1));

        assertThat(session.isLive()).isFalse();
        assertThat(session.mayAnswer()).isFalse();
        session.answered(session.now(), 7);
        assertThat(session.isLive()).isTrue();
        assertThat(session.mayAnswer()).isTrue();
    }

    @Test
    void afterASuspensionOfTheMachineNothingIsAnsweredBeforeTheNextHeartbeat() {
        ClusterSession.Moment before = session.now();
        wallMillis.addAndGet(10_000); // the monotonic clock has not counted them

        assertThat(session.mayAnswer()).isFalse();
        assertThat(session.isLive()).isFalse();
        session.answered(before, 7);
        assertThat(session.mayAnswer()).as("by a heartbeat from before it").isFalse();

        now.addAndGet(1);
        session.answered(session.now(), 7);

        assertThat(session.mayAnswer()).isTrue();
    }

    @Test
    void heartbeatThatWasSentBeforeASuspensionCountsFromItsSending() {
        now.addAndGet(1);
        ClusterSession.Moment asked = session.now();
        wallMillis.addAndGet(10_000);

        session.answered(asked, 7);

        assertThat(session.mayAnswer()).isFalse();
    }

    @Test
    void wallClockThatIsSetBackProlongsNothing() {
        wallMillis.addAndGet(-3_600_000);

        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        assertThat(session.mayAnswer()).isTrue();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(session.mayAnswer()).isFalse();
    }

    @Test
    void answerCountsFromTheSendingOfItsHeartbeat() {
        ClusterSession.Moment asked = session.now();
        now.addAndGet(TimeUnit.SECONDS.toNanos(11));

        session.answered(asked, 7);

        assertThat(session.isLive()).isFalse();
    }

    @Test
    void answerConfirmsAllEventsBeforeItsHeartbeat() {
        long before = now.get();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(session.hasHeardSince(before)).isTrue();
        assertThat(session.isLive()).isTrue();
        assertThat(session.hasHeardSince(now.get())).isFalse();

        session.answered(session.now(), 7);

        assertThat(session.hasHeardSince(now.get())).isTrue();
    }

    @Test
    void suspendedConnectionStopsAnsweringOnlyAtHalfOfTheSession() {
        assertThat(session.onConnectionState(ConnectionState.SUSPENDED)).isFalse();

        assertThat(session.mayAnswer()).isTrue();
        assertThat(session.isLive()).as("it learns of nothing").isFalse();
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        assertThat(session.mayAnswer()).isTrue();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(session.mayAnswer()).as("its partitions may be others' soon").isFalse();
        assertThat(session.isServing()).isTrue();
    }

    @Test
    void interruptedConnectionCostsNothing() {
        session.onConnectionState(ConnectionState.SUSPENDED);
        now.addAndGet(TimeUnit.SECONDS.toNanos(5));

        session.onConnectionState(ConnectionState.RECONNECTED);

        assertThat(session.isLive()).isTrue();
        assertThat(session.shouldJoin()).isFalse();
    }

    @Test
    void serverGoesOnForHalfOfItsSessionWhileItReadsAllNodesAgain() {
        session.reread();

        assertThat(session.shouldJoin()).isTrue();
        assertThat(session.mayAnswer()).isTrue();
        assertThat(session.isLive()).as("it may have missed something").isFalse();
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        session.answered(session.now(), 7);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(session.mayAnswer())
                .as("a heartbeat says nothing of what it has missed")
                .isFalse();

        assertThat(session.joined(7, session.interruptions(), session.now(), TIMEOUT_MILLIS))
                .isTrue();
        assertThat(session.isLive()).isTrue();
    }

    @Test
    void lostSessionIsJoinedAnew() {
        session.onConnectionState(ConnectionState.SUSPENDED);
        assertThat(session.onConnectionState(ConnectionState.LOST)).isTrue();
        session.onConnectionState(ConnectionState.RECONNECTED);

        assertThat(session.isLive()).isFalse();
        assertThat(session.mayAnswer()).isFalse();
        assertThat(session.shouldJoin()).isTrue();
    }

    @Test
    void whatWasReadAcrossAnInterruptionIsNotEnough() {
        session.onConnectionState(ConnectionState.LOST);
        session.onConnectionState(ConnectionState.RECONNECTED);
        int before = session.interruptions();
        session.onConnectionState(ConnectionState.SUSPENDED);
        session.onConnectionState(ConnectionState.RECONNECTED);

        assertThat(session.joined(8, before, session.now(), TIMEOUT_MILLIS)).isFalse();

        assertThat(session.shouldJoin()).isTrue();
    }

    @Test
    void nodeOfAnotherSessionMeansThatOursIsOver() {
        session.answered(session.now(), 8);

        assertThat(session.isLive()).isFalse();
        assertThat(session.shouldJoin()).isTrue();
    }

    @Test
    void whoLeavesNeverJoinsAgain() {
        assertThat(session.advance(State.LEAVING)).isTrue();
        assertThat(session.mayAnswer()).isTrue(); // requests in flight may end
        assertThat(session.isServing()).isFalse();

        session.onConnectionState(ConnectionState.LOST);
        session.onConnectionState(ConnectionState.RECONNECTED);

        assertThat(session.shouldJoin()).isFalse();
        assertThat(session.isLive()).isFalse();
        assertThat(session.advance(State.MEMBER)).isFalse();
        assertThat(session.advance(State.CLOSED)).isTrue();
        assertThat(session.advance(State.LEAVING)).isFalse();
    }
}
