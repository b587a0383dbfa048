// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.Partitioner;
import org.talos.common.name.Placement;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.storage.SegmentOptions;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.TopicAttribute;

/** Changes of a topic's attributes, and the limits of a request's values. Immutable. */
final class TopicChanges {
    private static final int MAX_PARTITIONS = 256;
    private static final int MIN_RETENTION_SECONDS = 3_600;
    private static final int MAX_RETENTION_SECONDS = 31_536_000;
    private static final int MAX_ATTRIBUTES = 64;
    private static final int MAX_ATTRIBUTE_CHARACTERS = 4_096;
    private static final int MAX_NEW_KEY_CHARACTERS = 256;
    private static final int MAX_CHARACTERS_TOGETHER = 32_768;

    private TopicChanges() {}

    /** Checks the fields that are set: INVALID_TOPIC_PARAMS. */
    static void check(TopicAttribute asked) {
        if (asked.isSetPartitionNumber()) {
            inRange("partitionNumber", asked.getPartitionNumber(), 1, MAX_PARTITIONS);
        }
        if (asked.isSetMessageRetentionSecs()) {
            inRange(
                    "messageRetentionSecs",
                    asked.getMessageRetentionSecs(),
                    MIN_RETENTION_SECONDS,
                    MAX_RETENTION_SECONDS);
        }
        attributes(asked).forEach((key, value) -> {
            inRange("characters of an attribute's key", key.length(), 1, MAX_ATTRIBUTE_CHARACTERS);
            inRange("characters of attribute " + key, value.length(), 0, MAX_ATTRIBUTE_CHARACTERS);
        });
        inRange("number of attributes", attributes(asked).size(), 0, MAX_ATTRIBUTES);
        checkOwn(attributes(asked));
    }

    /** Checks the attributes that the server itself goes by. */
    private static void checkOwn(Map<String, String> attributes) {
        try {
            var unused = SegmentOptions.of(attributes);
            var unusedToo = Partitioner.of(attributes);
        } catch (IllegalArgumentException e) {
            throw new TalosException(ErrorCode.INVALID_TOPIC_PARAMS, Effect.NONE, String.valueOf(e.getMessage()), e);
        }
    }

    static Map<String, String> attributes(TopicAttribute asked) {
        @Nullable Map<String, String> attributes = asked.getAttributes();
        return attributes == null ? Map.of() : attributes;
    }

    private static void inRange(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw Failures.invalid(what + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }

    /**
     * Checks that attributes are no larger than new ones may be. What a topic has already may stay: clients send it
     * back whole when they change something else.
     */
    static void requireSmall(Map<String, String> before, Map<String, String> after) {
        for (String key : after.keySet()) {
            if (!before.containsKey(key)) {
                inRange("characters of an attribute's key", key.length(), 1, MAX_NEW_KEY_CHARACTERS);
            }
        }
        if (characters(after) > characters(before)) {
            inRange("characters of all attributes", characters(after), 0, MAX_CHARACTERS_TOGETHER);
        }
    }

    private static int characters(Map<String, String> attributes) {
        return attributes.entrySet().stream()
                .mapToInt(each -> each.getKey().length() + each.getValue().length())
                .sum();
    }

    /** Key by key: keys that are not named stay. */
    static TopicRecord mergeAttributes(TopicRecord topic, Map<String, String> changed) {
        Map<String, String> merged = new HashMap<>(topic.attributes());
        merged.putAll(changed);
        inRange("number of attributes", merged.size(), 0, MAX_ATTRIBUTES);
        requireSmall(topic.attributes(), merged);
        return changed(topic, merged);
    }

    static TopicRecord withoutAttribute(TopicRecord topic, String key) {
        Map<String, String> rest = new HashMap<>(topic.attributes());
        rest.remove(key);
        return changed(topic, rest);
    }

    private static TopicRecord changed(TopicRecord topic, Map<String, String> attributes) {
        String before = Placement.of(topic.attributes(), topic.partitions()).partitioner();
        String after = Placement.of(attributes, topic.partitions()).partitioner();
        if (topic.partitions() > 1 && !after.equals(before)) {
            throw Failures.invalid(Partitioner.ATTRIBUTE + ": " + after + " (expected: " + before
                    + ", by which keys are placed already: they would move between the topic's " + topic.partitions()
                    + " partitions)");
        }
        return topic.withAttributes(attributes);
    }
}
