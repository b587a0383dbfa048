// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;

/** Consumer groups, as operators see and reset them. Immutable. */
public final class GroupRecords {
    private GroupRecords() {}

    /** The names of a topic's groups. Immutable. */
    @Schema
    public record Groups(List<String> groups) {}

    /** A group of a list, and its topic. Immutable. */
    public record ListedGroup(
            String topic,
            String group,

            @Described("Messages that are there and not committed; missing while it is not known of a partition, and "
                    + "unless the caller may read the group.")
            OptionalLong lag) {}

    /** Groups of a list, and where the next page begins. Immutable. */
    @Schema
    public record GroupPage(
            List<ListedGroup> groups,
            Optional<String> next,
            @Described("Groups that match, on all pages.") long total,

            @Described("Whether all groups were searched; else the server lacks the memory for some of them. "
                    + "Those of one topic can be listed by its name.")
            boolean complete,

            @Described("Of the list, or of the oldest figure on the page.")
            long ageMillis) {}

    /** A right to a group, and its holder. Immutable. */
    public record Granted(
            String grantee,

            @Described(words = {"read", "commit", "administer"})
            String right) {}

    /** A member and the partitions that it holds. Immutable. */
    public record Holder(
            String member,

            @Described(
                    value = "By what it joined.",
                    words = {"sdk", "rest", "stream"})
            String kind,

            List<Integer> partitions) {}

    /** A partition as a group sees it. Immutable. */
    public record PartitionLag(
            int partition,
            Optional<String> member,

            @Described("The next one to read; missing if the group never committed.")
            OptionalLong committed,

            @Described("Of the oldest message; missing, as end and lag, while no server has the partition.")
            OptionalLong start,

            OptionalLong end,
            OptionalLong lag) {}

    /** A group with its members and offsets. Immutable. */
    @Schema
    public record Group(
            @Described("The user whose group it is; missing if it is nobody's.")
            Optional<String> owner,

            @Described("What others may do.") List<Granted> grants,
            List<Holder> members,
            List<PartitionLag> partitions,

            @Described("Messages that are there and not committed; missing while it is not known of a partition.")
            OptionalLong lag) {}

    /** A right to grant. Immutable. */
    @Schema(closed = true)
    public record GroupGrant(
            @Described(words = {"read", "commit", "administer"})
            String right) {}

    /** The place to which a group moves. Immutable. */
    @Schema(
            closed = true,
            oneOf = {"to", "offset"})
    @Described("One of to and offset.")
    public record Reset(
            @Described(schema = """
                            {
                              "anyOf": [
                                {
                                  "type": "string",
                                  "enum": [
                                    "earliest",
                                    "latest"
                                  ]
                                },
                                {
                                  "$ref": "#/components/schemas/PointOfTime"
                                }
                              ]
                            }
                            """) Optional<String> to,
            @Described(min = 0, format = "int64") OptionalLong offset,
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
            @Described(usual = "false") Optional<Boolean> preview,

            @Described(value = "Also while the group has members.", usual = "false")
            Optional<Boolean> force) {}

    /** The move of a group in a partition. Immutable. */
    public record MovedPartition(
            int partition,

            @Described("Missing if the group never committed.")
            OptionalLong from,

            @Described("Missing, in an undo, if the group had never committed.")
            OptionalLong to,

            @Described("Messages between the two that the group does not read.")
            OptionalLong skipped,

            @Described("Messages between the two that the group reads again.")
            OptionalLong repeated) {}

    /** The moves of a reset, done or in preview. Immutable. */
    @Schema
    public record Moved(boolean preview, List<MovedPartition> partitions) {}

    /** The terms on which a reset is undone. Immutable. */
    @Schema(closed = true)
    public record Undo(
            @Described(usual = "false") Optional<Boolean> preview,

            @Described(value = "Also while the group has members.", usual = "false")
            Optional<Boolean> force) {}
}
