// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.talos.bench.load.Polls;
import org.talos.bench.load.RequestSource.Outcome;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

class ReplayTest {
    private static final ByteBuffer ANSWER = ByteBuffer.allocate(0);

    private final List<Long> asked = new ArrayList<>();
    private final LongAdder read = new LongAdder();
    private int brings = 2; // messages, each answer

    private Replay replay(long messages) {
        TopicDescription topic = new TopicDescription("kept", "me#kept#1", "me", 1, Duration.ofDays(1));
        Polls polls = Polls.signed(
                        topic, "127.0.0.1:1", new Credential("AKBENCH", "a-secret"), List.of((answer, from) -> {
                            asked.add(from);
                            return brings;
                        }))
                .get(0);
        return new Replay(polls, messages, read);
    }

    @Test
    void itBeginsAgainAfterTheLastMessage() {
        Replay replay = replay(4);
        for (int get = 0; get < 5; get++) {
            assertThat(replay.next().hasRemaining()).isTrue();
            assertThat(replay.answered(ANSWER)).isEqualTo(Outcome.DONE);
        }

        assertThat(asked).containsExactly(0L, 2L, 0L, 2L, 0L);
        assertThat(read.sum()).isEqualTo(10);
    }

    @Test
    void getThatBringsNothingBeforeTheLastMessageIsWrong() {
        Replay replay = replay(4);
        brings = 0;

        assertThat(replay.next().hasRemaining()).isTrue();
        assertThat(replay.answered(ANSWER)).isEqualTo(Outcome.WRONG);
    }

    @Test
    void moreMessagesThanThePartitionHasAreWrong() {
        Replay replay = replay(1);

        assertThat(replay.next().hasRemaining()).isTrue();
        assertThat(replay.answered(ANSWER)).isEqualTo(Outcome.WRONG);
    }
}
