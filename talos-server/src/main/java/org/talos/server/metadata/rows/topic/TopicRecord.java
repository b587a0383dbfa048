// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A topic's row. Its id tells it from another topic that is created later under the same name.
 *
 * <p>Immutable.
 *
 * @param topicId 32 lower-case hex digits
 * @param owner id of the user or org it belongs to; may contain {@code #}
 * @param partitions number of partitions
 * @param oldPartitions number before the last change; the number at creation if there was none
 * @param acl id of a user, org or team to permission bits; without the owner
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
    private static final int RECORD_BYTES = 1 << 10; // with its places in maps, and its names there
    private static final int ENTRY_BYTES = 64;

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

    /** The name by which clients address this very topic: {@code owner#name#topicId}. */
    public String resourceName() {
        return owner + "#" + name + "#" + topicId;
    }

    /** Returns the approximate heap of the record in bytes. */
    public long memoryBytes() {
        long bytes = RECORD_BYTES + text(name) + text(owner) + text(chargeId) + text(ownerName);
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            bytes += text(attribute.getKey()) + text(attribute.getValue());
        }
        for (String identifier : acl.keySet()) {
            bytes += ENTRY_BYTES + text(identifier);
        }
        for (SubResource resource : subResources) {
            bytes += ENTRY_BYTES + text(resource.orgId()) + text(resource.adminTeamId());
        }
        return bytes;
    }

    private static long text(@Nullable String text) {
        return text == null ? 0 : ENTRY_BYTES + 2L * text.length();
    }

    /** A new topic of the same owner, with the same settings and permissions. */
    public TopicRecord renewed(String newName, String newId, long timestamp) {
        return new TopicRecord(
                newName,
                newId,
                owner,
                partitions,
                partitions,
                retentionSeconds,
                attributes,
                acl,
                timestamp,
                0,
                chargeId,
                ownerName,
                subResources);
    }

    /** A copy with another number of partitions, changed at {@code timestamp}; the present one becomes the old one. */
    public TopicRecord withPartitions(int number, long timestamp) {
        Copy copy = new Copy(this);
        copy.oldPartitions = partitions;
        copy.partitions = number;
        copy.partitionsChangedAt = timestamp;
        return copy.record();
    }

    /** A copy with another retention. */
    public TopicRecord withRetention(int seconds) {
        Copy copy = new Copy(this);
        copy.retentionSeconds = seconds;
        return copy.record();
    }

    /** A copy with these attributes. */
    public TopicRecord withAttributes(Map<String, String> changed) {
        Copy copy = new Copy(this);
        copy.attributes = changed;
        return copy.record();
    }

    /** A copy with these permissions. */
    public TopicRecord withAcl(Map<String, Integer> changed) {
        Copy copy = new Copy(this);
        copy.acl = changed;
        return copy.record();
    }

    /** A copy with another charge id and owner's name. */
    public TopicRecord withOwnerInfo(@Nullable String newChargeId, @Nullable String newOwnerName) {
        Copy copy = new Copy(this);
        copy.chargeId = newChargeId;
        copy.ownerName = newOwnerName;
        return copy.record();
    }

    /** A copy with these sub-resources. */
    public TopicRecord withSubResources(List<SubResource> changed) {
        Copy copy = new Copy(this);
        copy.subResources = changed;
        return copy.record();
    }

    /** The fields that may change, to be set on the way to a copy. Confined: the calling thread. */
    private static final class Copy {
        private final TopicRecord original;
        private int partitions;
        private int oldPartitions;
        private int retentionSeconds;
        private Map<String, String> attributes;
        private Map<String, Integer> acl;
        private long partitionsChangedAt;
        private @Nullable String chargeId;
        private @Nullable String ownerName;
        private List<SubResource> subResources;

        Copy(TopicRecord original) {
            this.original = original;
            partitions = original.partitions;
            oldPartitions = original.oldPartitions;
            retentionSeconds = original.retentionSeconds;
            attributes = original.attributes;
            acl = original.acl;
            partitionsChangedAt = original.partitionsChangedAt;
            chargeId = original.chargeId;
            ownerName = original.ownerName;
            subResources = original.subResources;
        }

        TopicRecord record() {
            return new TopicRecord(
                    original.name,
                    original.topicId,
                    original.owner,
                    partitions,
                    oldPartitions,
                    retentionSeconds,
                    attributes,
                    acl,
                    original.createTimestamp,
                    partitionsChangedAt,
                    chargeId,
                    ownerName,
                    subResources);
        }
    }
}
