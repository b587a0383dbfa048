// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.talos.common.error.TalosException;
import org.talos.common.name.Names;
import org.talos.common.name.ResourceName;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Finds the topic that a request names, or fails with an error about the name. Thread-safe; reads memory only. */
public final class TopicLookup {
    private final TopicDirectory directory;

    public TopicLookup(TopicDirectory directory) {
        this.directory = directory;
    }

    /** Returns the topic of that name now. */
    public TopicRecord byName(String name) {
        return directory.byName(name).orElseThrow(() -> Names.isValid(name) ? unknown(name) : invalid(name));
    }

    /** Returns the present topic of a name; with a resource name, exactly that topic and no later one of its name. */
    public TopicRecord byEitherName(String name) {
        return name.indexOf('#') < 0 ? byName(name) : byResourceName(new TopicTalosResourceName(name));
    }

    /** Returns the topic of a resource name. A deleted topic is unknown, even if its name is in use again. */
    public TopicRecord byResourceName(TopicTalosResourceName name) {
        String text = name.getTopicTalosResourceName();
        return directory
                .byResourceName(text)
                .orElseThrow(() -> ResourceName.parse(text).isPresent() ? unknown(text) : invalid(text));
    }

    /** Returns the name of the topic with this id, or the id if the topic no longer exists. */
    public String nameOf(String topicId) {
        return directory.storedById(topicId).map(TopicRecord::name).orElse(topicId);
    }

    /** Returns the topic of a partition's name, if it has the partition. */
    public TopicRecord byPartition(PartitionName partition) {
        TopicRecord topic = byEitherName(partition.topic());
        requirePartition(topic, partition.number());
        return topic;
    }

    private static void requirePartition(TopicRecord topic, int number) {
        if (number < 0 || number >= topic.partitions()) {
            throw TalosException.refused(
                    ErrorCode.PARTITION_NOT_EXIST,
                    "partition " + number + " (expected: 0.." + (topic.partitions() - 1) + ")");
        }
    }

    /** Returns the topic of a resource name, if the topic's name agrees with it and it has the partition. */
    public TopicRecord byPartition(TopicAndPartition partition) {
        TopicRecord topic = byResourceName(partition.getTopicTalosResourceName());
        if (!topic.name().equals(partition.getTopicName())) {
            throw invalid(partition.getTopicName());
        }
        requirePartition(topic, partition.getPartitionId());
        return topic;
    }

    private static TalosException unknown(String name) {
        return TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic " + shown(name));
    }

    private static TalosException invalid(String name) {
        return TalosException.refused(
                ErrorCode.INVALID_NAME_ERROR,
                "not a topic's name: " + shown(name) + " (a name has " + Names.EXPECTED + ")");
    }

    private static String shown(String name) {
        return name.length() <= 200 ? name : name.substring(0, 200) + "…";
    }
}
