// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A topic as it is stored. Its id makes a topic that is created again under an old name another one.
 *
 * <p>Immutable.
 *
 * @param topicId 32 lower-case hex digits
 * @param owner id of the user or org it belongs to; may contain {@code #}
 * @param oldPartitions number before the last change; the number at creation if there was none
 * @param acl identifier of a user, org or team to permission bits; the owner is not in it
 * @param createTimestamp ms since 1970, as is partitionsChangedAt, which is 0 until the number changes
 */
public record TopicRecord(
        String name,
        String topicId,
        String owner,
        int partitions,
        int oldPartitions,
        int retentionSeconds,
        Map<String, String> attributes,
        Map<String, Integer> acl,
        long createTimestamp,
        long partitionsChangedAt,
        @Nullable String chargeId,
        @Nullable String ownerName,
        List<SubResource> subResources) {
    private static final Pattern TOPIC_ID = Pattern.compile("[0-9a-f]{32}");

    public TopicRecord {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(owner, "owner");
        attributes = Map.copyOf(attributes);
        acl = Map.copyOf(acl);
        subResources = List.copyOf(subResources);
        if (!TOPIC_ID.matcher(topicId).matches()) {
            throw new IllegalArgumentException("topicId: " + topicId + " (expected: 32 lower-case hex digits)");
        }
        if (partitions < 1 || oldPartitions < 1) {
            throw new IllegalArgumentException(
                    "partitions: " + partitions + ", oldPartitions: " + oldPartitions + " (expected: 1 or more)");
        }
    }

    /** The name that clients must show to reach this topic and no other: {@code owner#name#topicId}. */
    public String resourceName() {
        return owner + "#" + name + "#" + topicId;
    }
}
