// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.Comparator;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The partition that a call is about. Immutable.
 *
 * @param topic name of its topic
 * @param resourceName names this incarnation of the topic
 * @param number of the partition, from 0
 */
public record PartitionRef(String topic, String resourceName, int number) implements Comparable<PartitionRef> {
    private static final Comparator<PartitionRef> ORDER = Comparator.comparing(PartitionRef::topic)
            .thenComparing(PartitionRef::resourceName)
            .thenComparingInt(PartitionRef::number);

    /** Returns a partition in the protocol's form. */
    public static PartitionRef of(TopicAndPartition wire) {
        return new PartitionRef(
                wire.getTopicName(),
                wire.getTopicTalosResourceName().getTopicTalosResourceName(),
                wire.getPartitionId());
    }

    /** Returns this partition in the protocol's form. */
    public TopicAndPartition toThrift() {
        return new TopicAndPartition(topic, new TopicTalosResourceName(resourceName), number);
    }

    @Override
    public int compareTo(PartitionRef other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return topic + "/" + number;
    }
}
