// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.storage.LogId;

class OthersBoundsTest {
    private static final TopicRecord A = topic('a');
    private static final TopicRecord B = topic('b');
    private static final LogBounds EARLIER = new LogBounds(0, 1, 100);
    private static final LogBounds LATER = new LogBounds(0, 2, 200);

    private final OthersBounds bounds = new OthersBounds();

    @Test
    void topicThatWasNotAskedAboutIsKnownAsOfBefore() {
        bounds.replace(List.of(A, B), Map.of(id(A, 0), EARLIER, id(B, 0), EARLIER), List.of(A, B), 1);

        bounds.replace(List.of(B), Map.of(id(B, 0), LATER), List.of(A, B), 2);

        assertThat(bounds.find(id(A, 0))).isEqualTo(new SeenBounds(EARLIER, 1));
        assertThat(bounds.find(id(B, 0))).isEqualTo(new SeenBounds(LATER, 2));
    }

    @Test
    void partitionThatNobodyServesAnyMoreIsForgotten() {
        bounds.replace(List.of(A), Map.of(id(A, 0), EARLIER, id(A, 1), EARLIER), List.of(A), 1);

        bounds.replace(List.of(A), Map.of(id(A, 1), LATER), List.of(A), 2);

        assertThat(bounds.find(id(A, 0))).isNull();
        assertThat(bounds.find(id(A, 1))).isEqualTo(new SeenBounds(LATER, 2));
    }

    @Test
    void serverThatDoesNotAnswerSoonIsKnownAsOfBefore() {
        bounds.replace(List.of(A), Map.of(id(A, 0), EARLIER, id(A, 1), EARLIER), List.of(A), 1);

        bounds.add(Map.of(id(A, 1), LATER), 2);

        assertThat(bounds.find(id(A, 0))).isEqualTo(new SeenBounds(EARLIER, 1));
        assertThat(bounds.find(id(A, 1))).isEqualTo(new SeenBounds(LATER, 2));
    }

    @Test
    void topicThatIsGoneIsForgottenWithoutItsTurn() {
        bounds.replace(List.of(A, B), Map.of(id(A, 0), EARLIER, id(B, 0), EARLIER), List.of(A, B), 1);

        bounds.replace(List.of(B), Map.of(id(B, 0), EARLIER), List.of(B), 2);

        assertThat(bounds.find(id(A, 0))).isNull();
    }

    private static LogId id(TopicRecord topic, int partition) {
        return new LogId(topic.topicId(), partition);
    }

    private static TopicRecord topic(char id) {
        return new TopicRecord(
                "topic-" + id,
                String.valueOf(id).repeat(32),
                "alice",
                2,
                2,
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
