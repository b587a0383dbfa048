// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.metadata.rows.topic.TopicRecord;

class RefreshTurnsTest {
    private static final TopicRecord A = topic('a', 250);
    private static final TopicRecord B = topic('b', 250);
    private static final TopicRecord C = topic('c', 250);

    private final RefreshTurns turns = new RefreshTurns(400);

    @Test
    void fewPartitionsAreAllAskedAboutInEachRound() {
        for (int round = 0; round < 3; round++) {
            assertThat(turns.next(List.of(), List.of(B, A))).containsExactlyInAnyOrder(A, B);
        }
    }

    @Test
    void ofManyARoundHasNoMoreThanItMayAndAllHaveTheirTurn() {
        List<TopicRecord> all = List.of(C, A, B);

        assertThat(turns.next(List.of(), all)).containsExactly(A, B);
        assertThat(turns.next(List.of(), all)).containsExactly(C, A);
        assertThat(turns.next(List.of(), all)).containsExactly(B, C);
    }

    @Test
    void thoseThatAreAlwaysAskedAboutTakeNobodysTurn() {
        List<TopicRecord> all = List.of(A, B, C);

        assertThat(turns.next(List.of(C), all)).containsExactly(C, A, B);
        assertThat(turns.next(List.of(C), all)).containsExactly(C, A, B);
    }

    @Test
    void topicThatIsGoneEndsNoTurn() {
        assertThat(turns.next(List.of(), List.of(A, B, C))).containsExactly(A, B);

        assertThat(turns.next(List.of(), List.of(A, C))).containsExactly(C, A);
    }

    private static TopicRecord topic(char id, int partitions) {
        return new TopicRecord(
                "topic-" + id,
                String.valueOf(id).repeat(32),
                "alice",
                partitions,
                partitions,
                60,
                Map.of(),
                Map.of(),
                0,
                0,
                null,
                null,
                List.of());
    }
}
