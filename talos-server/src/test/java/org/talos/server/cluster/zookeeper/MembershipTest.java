// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.cluster.zookeeper.Membership.State;

class MembershipTest {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final AtomicLong now = new AtomicLong();
    private final Membership membership = new Membership(now::get);

    @BeforeEach
    void join() {
        membership.connectionIs(ConnectionState.CONNECTED);
        assertThat(membership.joined(7, membership.interruptions(), now.get(), TIMEOUT_MILLIS))
                .isTrue();
    }

    @Test
    void afterAPauseNothingIsBelievedThoughTheClientSaysConnected() {
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        assertThat(membership.isBelieved()).isTrue();

        now.addAndGet(TimeUnit.SECONDS.toNanos(1));

        assertThat(membership.isBelieved()).isFalse();
        membership.answered(now.get(), 7);
        assertThat(membership.isBelieved()).isTrue();
    }

    @Test
    void answerCountsFromTheQuestion() {
        long asked = now.get();
        now.addAndGet(TimeUnit.SECONDS.toNanos(11));

        membership.answered(asked, 7);

        assertThat(membership.isBelieved()).isFalse();
    }

    @Test
    void answerIsNewsOfAllThatWasBeforeTheQuestion() {
        long before = now.get();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(membership.hasHeardSince(before)).isTrue();
        assertThat(membership.isBelieved()).isTrue();
        assertThat(membership.hasHeardSince(now.get())).isFalse();

        membership.answered(now.get(), 7);

        assertThat(membership.hasHeardSince(now.get())).isTrue();
    }

    @Test
    void suspendedConnectionIsNotBelievedAndNoEndOfTheSession() {
        assertThat(membership.connectionIs(ConnectionState.SUSPENDED)).isFalse();

        assertThat(membership.isBelieved()).isFalse();
        assertThat(membership.isServing()).isTrue();
        membership.connectionIs(ConnectionState.RECONNECTED);
        assertThat(membership.isBelieved()).isTrue();
    }

    @Test
    void lostSessionIsJoinedAnew() {
        membership.connectionIs(ConnectionState.SUSPENDED);
        assertThat(membership.connectionIs(ConnectionState.LOST)).isTrue();
        membership.connectionIs(ConnectionState.RECONNECTED);

        assertThat(membership.isBelieved()).isFalse();
        assertThat(membership.isToJoin()).isTrue();
    }

    @Test
    void whatWasReadAcrossAnInterruptionIsNotEnough() {
        membership.connectionIs(ConnectionState.LOST);
        membership.connectionIs(ConnectionState.RECONNECTED);
        int before = membership.interruptions();
        membership.connectionIs(ConnectionState.SUSPENDED);
        membership.connectionIs(ConnectionState.RECONNECTED);

        assertThat(membership.joined(8, before, now.get(), TIMEOUT_MILLIS)).isFalse();

        assertThat(membership.isToJoin()).isTrue();
    }

    @Test
    void nodeOfAnotherSessionMeansThatOursIsOver() {
        membership.answered(now.get(), 8);

        assertThat(membership.isBelieved()).isFalse();
        assertThat(membership.isToJoin()).isTrue();
    }

    @Test
    void whoLeavesNeverJoinsAgain() {
        assertThat(membership.advance(State.LEAVING)).isTrue();
        assertThat(membership.isBelieved()).isTrue(); // what is begun may end
        assertThat(membership.isServing()).isFalse();

        membership.connectionIs(ConnectionState.LOST);
        membership.connectionIs(ConnectionState.RECONNECTED);

        assertThat(membership.isToJoin()).isFalse();
        assertThat(membership.isBelieved()).isFalse();
        assertThat(membership.advance(State.MEMBER)).isFalse();
        assertThat(membership.advance(State.CLOSED)).isTrue();
        assertThat(membership.advance(State.LEAVING)).isFalse();
    }
}
