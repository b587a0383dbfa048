// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExistingTopicsTest {
    private final AskedRows rows = new AskedRows();
    private final AtomicLong now = new AtomicLong();
    private final List<String> reports = new ArrayList<>();
    private final Map<String, Integer> assigned = new HashMap<>();
    private final ExistingTopics topics = new ExistingTopics(rows, now::get, () -> {}, reports::add);

    private Map<String, Integer> wanted() {
        return wanted(Map.of(), Set.of());
    }

    private Map<String, Integer> wanted(Map<String, Integer> announced, Set<String> deleted) {
        return topics.wanted(announced, deleted, new ExistingTopics.Assigned() {
            @Override
            public int partitions(String topicId) {
                return assigned.getOrDefault(topicId, 0);
            }

            @Override
            public Set<String> topics() {
                return assigned.keySet();
            }
        });
    }

    @Test
    void topicGetsOwnersOnceItsRowWasSeen() {
        rows.cache("t", 3);
        assertThat(wanted()).isEmpty();
        assertThat(wanted()).isEmpty();

        rows.answer(Map.of("t", 4));

        assertThat(wanted()).containsExactly(Map.entry("t", 4));
        assigned.put("t", 4);
        assertThat(wanted()).isEmpty();
        assertThat(topics.isAtRest()).isTrue();
        assertThat(rows.questions).isEqualTo(1);
    }

    @Test
    void growthIsBelievedAtOnce() {
        assigned.put("t", 3);
        rows.cache("t", 4);

        assertThat(wanted(Map.of("t", 6), Set.of())).containsExactly(Map.entry("t", 6));
        assertThat(rows.questions).isZero();
    }

    @Test
    void staleMemoryOfADeletedTopicMakesNothing() {
        rows.cache("t", 3);
        wanted();
        rows.answer(Map.of());
        assertThat(wanted()).isEmpty();
        assertThat(wanted()).isEmpty();
        assertThat(rows.questions).isEqualTo(1);

        rows.uncache("t");
        wanted();

        assertThat(topics.isAtRest()).isTrue();
    }

    @Test
    void rowReadBeforeItsDeletionWasAnnouncedProvesNothing() {
        rows.cache("t", 3);
        wanted();
        wanted(Map.of(), Set.of("t")); // the row is gone since, and so is the task after this round
        rows.answer(Map.of("t", 3));

        assertThat(wanted()).isEmpty();
        rows.answer(Map.of());
        assertThat(wanted()).isEmpty();
        assertThat(rows.questions).isEqualTo(2);
    }

    @Test
    void lateAnnouncementOfADeletedTopicIsRefuted() {
        Map<String, Integer> announced = Map.of("t", 3);
        wanted(announced, Set.of());
        rows.answer(Map.of("other", 1));

        assertThat(wanted(announced, Set.of())).isEmpty();
        assertThat(topics.isRefuted("t")).isTrue();
        wanted();
        assertThat(topics.isRefuted("t")).as("once nobody asks").isFalse();
    }

    @Test
    void topicThatMemoryHasAndTheRowsLackIsLookedForAgain() {
        rows.cache("t", 3);
        wanted();
        rows.answer(Map.of()); // as of a moment before the row
        assertThat(wanted()).isEmpty();
        assertThat(topics.isAtRest()).isTrue();

        now.addAndGet(ExistingTopics.MISSING.toNanos() + 1);
        assertThat(topics.isAtRest()).isFalse();
        wanted();
        rows.answer(Map.of("t", 3));

        assertThat(wanted()).containsExactly(Map.entry("t", 3));
    }

    @Test
    void missingTopicIsGoneOnlyWhenACompleteReadingLacksIt() {
        assigned.put("t", 3);
        wanted();
        assertThat(rows.questions).isZero();
        now.addAndGet(ExistingTopics.MISSING.toNanos() + 1);
        wanted();
        assertThat(rows.questions).isEqualTo(1);

        rows.answer(Map.of(), "orders"); // whose id may be t
        wanted();
        assertThat(topics.gone()).isEmpty();
        assertThat(reports).singleElement().asString().contains("orders");
        now.addAndGet(ExistingTopics.RETRY.toNanos());
        wanted();
        rows.failTopics(new IOException("no region"));
        wanted();
        assertThat(topics.gone()).isEmpty();
        assertThat(reports).hasSize(2);
        now.addAndGet(ExistingTopics.RETRY.toNanos());
        wanted();
        rows.answer(Map.of());
        wanted();

        assertThat(topics.gone()).containsExactly("t");
        assigned.clear();
        wanted();
        assertThat(topics.gone()).isEmpty();
        assertThat(topics.isAtRest()).isTrue();
    }

    @Test
    void missingTopicWhoseRowIsThereStays() {
        assigned.put("t", 3);
        wanted();
        now.addAndGet(ExistingTopics.MISSING.toNanos() + 1);
        wanted();
        rows.answer(Map.of("t", 3));
        wanted();

        assertThat(topics.gone()).isEmpty();
        assertThat(rows.questions).as("for the next five minutes").isEqualTo(1);
    }

    @Test
    void rowThatCannotBeReadHoldsUpNoOtherTopic() {
        wanted(Map.of("bad", 1), Set.of());
        rows.answer(Map.of(), "orders");
        wanted(Map.of("bad", 1), Set.of());

        rows.cache("good", 2);
        wanted(Map.of("bad", 1), Set.of());
        rows.answer(Map.of("good", 2), "orders");

        assertThat(wanted(Map.of("bad", 1), Set.of())).containsExactly(Map.entry("good", 2));
        assertThat(topics.isRefuted("bad")).isFalse();
    }
}
