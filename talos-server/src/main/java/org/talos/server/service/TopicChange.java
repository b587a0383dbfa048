// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.SubResource;
import org.talos.server.metadata.TopicRecord;

/** A topic's record with some fields replaced. Immutable. */
final class TopicChange {
    private TopicChange() {}

    static TopicRecord partitions(TopicRecord topic, int partitions, long nowMillis) {
        return new TopicRecord(
                topic.name(),
                topic.topicId(),
                topic.owner(),
                partitions,
                topic.partitions(),
                topic.retentionSeconds(),
                topic.attributes(),
                topic.acl(),
                topic.createTimestamp(),
                nowMillis,
                topic.chargeId(),
                topic.ownerName(),
                topic.subResources());
    }

    static TopicRecord retention(TopicRecord topic, int seconds) {
        return new TopicRecord(
                topic.name(),
                topic.topicId(),
                topic.owner(),
                topic.partitions(),
                topic.oldPartitions(),
                seconds,
                topic.attributes(),
                topic.acl(),
                topic.createTimestamp(),
                topic.partitionsChangedAt(),
                topic.chargeId(),
                topic.ownerName(),
                topic.subResources());
    }

    static TopicRecord attributes(TopicRecord topic, Consumer<Map<String, String>> change) {
        Map<String, String> attributes = new HashMap<>(topic.attributes());
        change.accept(attributes);
        return new TopicRecord(
                topic.name(),
                topic.topicId(),
                topic.owner(),
                topic.partitions(),
                topic.oldPartitions(),
                topic.retentionSeconds(),
                attributes,
                topic.acl(),
                topic.createTimestamp(),
                topic.partitionsChangedAt(),
                topic.chargeId(),
                topic.ownerName(),
                topic.subResources());
    }

    static TopicRecord acl(TopicRecord topic, Consumer<Map<String, Integer>> change) {
        Map<String, Integer> acl = new HashMap<>(topic.acl());
        change.accept(acl);
        return new TopicRecord(
                topic.name(),
                topic.topicId(),
                topic.owner(),
                topic.partitions(),
                topic.oldPartitions(),
                topic.retentionSeconds(),
                topic.attributes(),
                acl,
                topic.createTimestamp(),
                topic.partitionsChangedAt(),
                topic.chargeId(),
                topic.ownerName(),
                topic.subResources());
    }

    static TopicRecord owner(TopicRecord topic, @Nullable String chargeId, @Nullable String ownerName) {
        return new TopicRecord(
                topic.name(),
                topic.topicId(),
                topic.owner(),
                topic.partitions(),
                topic.oldPartitions(),
                topic.retentionSeconds(),
                topic.attributes(),
                topic.acl(),
                topic.createTimestamp(),
                topic.partitionsChangedAt(),
                chargeId,
                ownerName,
                topic.subResources());
    }

    static TopicRecord subResource(TopicRecord topic, SubResource added) {
        List<SubResource> all = new ArrayList<>(topic.subResources());
        all.add(added);
        return new TopicRecord(
                topic.name(),
                topic.topicId(),
                topic.owner(),
                topic.partitions(),
                topic.oldPartitions(),
                topic.retentionSeconds(),
                topic.attributes(),
                topic.acl(),
                topic.createTimestamp(),
                topic.partitionsChangedAt(),
                topic.chargeId(),
                topic.ownerName(),
                all);
    }
}
