// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.partition.Partition.State;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

class PartitionTest {
    private final Partition partition = new Partition(new LogId("0123456789abcdef0123456789abcdef", 3));

    @Test
    void onlyTheStatedTransitionsAreLegal() {
        assertThat(State.OPENING.mayBecome(State.OPENING)).isFalse();
        assertThat(State.SERVING.mayBecome(State.FAILED)).isFalse();
        assertThat(State.FAILED.mayBecome(State.SERVING)).isFalse();
        for (State next : State.values()) {
            assertThat(State.CLOSED.mayBecome(next)).isFalse();
        }
    }

    @Test
    void failedPartitionIsNotServedBeforeItIsOpenedAgain() {
        partition.become(State.FAILED, null, "damaged");

        assertThatThrownBy(() -> partition.become(State.SERVING, null, "wrong"))
                .isInstanceOf(IllegalStateException.class);
        assertThat(partition.become(State.OPENING, null, "tried again")).isTrue();
    }

    @Test
    void closedPartitionStaysClosed() {
        partition.become(State.CLOSED, null, "topic deleted");

        assertThat(partition.become(State.SERVING, null, "opened too late")).isFalse();
        assertThat(partition.is(State.CLOSED)).isTrue();
    }

    @Test
    void partitionWithoutALogSaysSoInTheWordsThatClientsLookFor() {
        assertThatThrownBy(partition::log)
                .hasMessageContaining("partition not serving error")
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING));
    }

    @Test
    void whoOpensAPartitionThatIsClosedMeanwhileHasToEndIt() {
        assertThat(partition.openingBegins()).isTrue();

        assertThat(partition.close("topic deleted")).isEmpty();
        assertThat(partition.openingEnded()).isTrue();
        assertThat(partition.ended()).isNotDone();
        partition.hasEnded();

        assertThat(partition.ended()).isDone();
        assertThat(partition.openingBegins()).isFalse();
    }

    @Test
    void partitionThatNobodyOpensIsEndedByWhoClosesIt() {
        partition.become(State.FAILED, null, "damaged");

        assertThat(partition.close("topic deleted")).isPresent();
        assertThat(partition.close("topic deleted")).as("once").isEmpty();
        assertThat(partition.becomeOpening(State.FAILED, "tried again")).isFalse();
    }

    @Test
    void closedPartitionHoldsUpNobodyWhoWaitsForItsOpening() {
        assertThat(partition.settled()).isNotDone();

        var unused = partition.close("topic deleted");

        assertThat(partition.settled()).isDone();
    }
}
