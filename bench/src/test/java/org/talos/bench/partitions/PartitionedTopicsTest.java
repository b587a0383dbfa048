// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.talos.bench.partitions.PartitionedTopics.Place;

class PartitionedTopicsTest {
    @Test
    void partitionsAreSharedOutEvenly() {
        PartitionedTopics topics = new PartitionedTopics(3, 11);

        assertThat(topics.share(0)).isEqualTo(4);
        assertThat(topics.share(1)).isEqualTo(4);
        assertThat(topics.share(2)).isEqualTo(3);
        assertThat(topics.each(1)).hasSize(11).doesNotHaveDuplicates();
    }

    @Test
    void stepGoesOnFromTopicToTopic() {
        assertThat(new PartitionedTopics(3, 11).each(5))
                .containsExactly(
                        new Place("partitions-0", 0), new Place("partitions-1", 1), new Place("partitions-2", 2));
    }

    @Test
    void topicHasNoMorePartitionsThanATopicMayHave() {
        assertThat(PartitionedTopics.topicsFor(250)).isEqualTo(1);
        assertThat(PartitionedTopics.topicsFor(251)).isEqualTo(2);
        assertThat(PartitionedTopics.topicsFor(100_000)).isEqualTo(400);
    }
}
