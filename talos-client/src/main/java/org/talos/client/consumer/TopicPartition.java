// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.Comparator;

/**
 * A partition of a topic. Immutable.
 *
 * @param topic name of the topic
 * @param partition number of the partition, from 0
 */
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {
    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    @Override
    public int compareTo(TopicPartition other) {
        return ORDER.compare(this, other);
    }

    /** Returns a text as in {@code orders/3}. */
    @Override
    public String toString() {
        return topic + "/" + partition;
    }
}
