// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.bench.load.Polls;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.RequestSource.Outcome;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

class TimedPartitionTest {
    private static final ByteBuffer ANSWER = ByteBuffer.allocate(0);

    private final List<Long> took = new ArrayList<>();
    private int brings; // messages, the next answer
    private final TimedPartition partition = new TimedPartition(
            () -> ANSWER,
            Polls.signed(
                            new TopicDescription("tail", "me#tail#1", "me", 1, Duration.ofDays(1)),
                            "127.0.0.1:1",
                            new Credential("AKBENCH", "a-secret"),
                            List.of((answer, from) -> brings))
                    .get(0),
            took::add);

    private Outcome got(int messages) {
        RequestSource gets = partition.gets();
        brings = messages;
        assertThat(gets.next().hasRemaining()).isTrue();
        return gets.answered(ANSWER);
    }

    private void put() {
        assertThat(partition.puts().next()).isSameAs(ANSWER);
    }

    @Test
    void eachMessageIsTimedFromItsOwnPut() {
        put();
        put();
        assertThat(got(0)).isEqualTo(Outcome.NOTHING);

        assertThat(got(2)).isEqualTo(Outcome.DONE);

        assertThat(took).hasSize(2).allMatch(nanos -> nanos > 0);
        assertThat(took.get(0)).isGreaterThanOrEqualTo(took.get(1));
        assertThat(partition.received()).isEqualTo(2);
    }

    @Test
    void moreMessagesThanWerePutAreWrong() {
        put();

        assertThat(got(2)).isEqualTo(Outcome.WRONG);
    }
}
