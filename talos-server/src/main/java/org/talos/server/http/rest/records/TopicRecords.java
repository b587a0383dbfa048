// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;

/** Topics, as REST shows, makes, and changes them. Immutable. */
public final class TopicRecords {
    private TopicRecords() {}

    /** A topic to make. Immutable. */
    @Schema(closed = true)
    public record NewTopic(
            @Described(pattern = "^(?!_)(?!-)(?!.*_$)[a-zA-Z0-9_-]{1,80}$")
            String name,

            @Described(min = 1, max = 256, format = "int32") int partitions,
            @Described(format = "int32") OptionalInt retentionSeconds,
            @Described(schema = """
                            {
                              "type": "object",
                              "additionalProperties": {
                                "type": "string"
                              },
                              "properties": {
                                "talos.partitioner": {
                                  "type": "string",
                                  "enum": [
                                    "murmur2",
                                    "sdk"
                                  ],
                                  "default": "murmur2",
                                  "description": "How the partition of a key is computed; sdk if public SDKs put to \
                            the topic by key."
                                }
                              }
                            }
                            """) Optional<Map<String, String>> attributes) {}

    /** The name of a new topic with the settings of another one. Immutable. */
    @Schema(closed = true)
    public record TopicCopy(
            @Described(pattern = "^(?!_)(?!-)(?!.*_$)[a-zA-Z0-9_-]{1,80}$")
            String name) {}

    /** A change of a topic. Immutable. */
    @Schema(closed = true)
    public record TopicChange(
            @Described(min = 1, max = 256, format = "int32") OptionalInt partitions,
            @Described(format = "int32") OptionalInt retentionSeconds,
            @Described(schema = """
                            {
                              "type": "object",
                              "additionalProperties": {
                                "type": "string"
                              },
                              "properties": {
                                "talos.partitioner": {
                                  "type": "string",
                                  "enum": [
                                    "murmur2",
                                    "sdk"
                                  ],
                                  "description": "Refused if it would be another and the topic has several partitions."
                                }
                              }
                            }
                            """) Optional<Map<String, String>> attributes) {}

    /** The messages of a topic to delete. Immutable. */
    @Schema(
            closed = true,
            oneOf = {"before", "offset"})
    @Described("Either before or offset.")
    public record Emptying(
            @Described(schema = """
                            {
                              "anyOf": [
                                {
                                  "type": "string",
                                  "enum": [
                                    "latest"
                                  ]
                                },
                                {
                                  "$ref": "#/components/schemas/PointOfTime"
                                }
                              ],
                              "description": "latest for all messages, or those before the first one that was \
                            appended at or after a time."
                            }
                            """) Optional<String> before,

            @Described(value = "The first one that stays.", min = 0, format = "int64")
            OptionalLong offset,

            @Described(schema = """
                            {
                              "type": "array",
                              "uniqueItems": true,
                              "items": {
                                "type": "integer",
                                "format": "int32",
                                "minimum": 0
                              },
                              "description": "All if missing."
                            }
                            """) Optional<List<Integer>> partitions,
            @Described(usual = "false") Optional<Boolean> preview) {}

    /** The deletion of a partition's oldest messages. Immutable. */
    public record EmptiedPartition(
            int partition,
            @Described("Where it began before.") long from,
            @Described("Where it begins now.") long to,
            long messages,

            @Described("As they are stored; a little less if the new start is within a segment.")
            long bytes) {}

    /** The deletions of a topic's partitions, done or in preview. Immutable. */
    @Schema
    public record Emptied(boolean preview, List<EmptiedPartition> partitions) {}

    /** A partition of a topic, and its contents. Immutable. */
    public record PartitionState(
            int partition,
            long start,
            @Described("One past the last message.") long end,
            long messages,
            long bytes) {}

    /** The unevenness of the partitions, by messages and by bytes. Immutable. */
    public record Skews(Optional<Skew> messages, Optional<Skew> bytes) {}

    /** A topic with its partitions. Immutable. */
    @Schema
    public record Topic(
            String name,
            String owner,
            String resourceName,
            int partitions,
            int retentionSeconds,

            @Described("How the partition of a key is computed, murmur2 or sdk: the attribute talos.partitioner, or "
                    + "sdk without it.")
            String partitioner,

            Map<String, String> attributes,
            @Described("Milliseconds since 1970.") long createdAt,
            @Described("Ever put, the expired ones too.") long totalMessages,
            List<PartitionState> partitionStates,

            @Described("How unevenly the partitions are filled; missing if the topic is empty.")
            Optional<Skews> skew) {}

    /** The partition that has most, and its share. Immutable. */
    @Schema
    public record Skew(
            @Described("The one that has most.") int partition,
            @Described("Its part of all, 0 to 1.") double share,

            @Described("The part of each if all had the same.")
            double mean) {}

    /** The contents of a topic of a list. Immutable. */
    public record Contents(
            int partitions,
            int retentionSeconds,

            @Described("Stored now; missing, as bytes, while it is not known of a partition.")
            OptionalLong messages,

            OptionalLong bytes,

            @Described("Messages; missing while it is not known of a partition.")
            OptionalDouble putsPerSecond) {}

    /** A topic of a list. Immutable. */
    public record Listed(
            String name,
            String owner,
            String resourceName,

            @Described("Missing unless the caller may describe the topic.")
            Optional<Contents> contents) {}

    /** Topics of a list, and where the next page begins. Immutable. */
    @Schema
    public record TopicPage(
            List<Listed> topics,
            Optional<String> next,
            @Described("Topics that match, on all pages.") long total,

            @Described("Of the oldest figure on the page; missing if there is none.")
            OptionalLong ageMillis) {}
}
