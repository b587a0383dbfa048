// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;

/** The partitions of a topic, and their segments. Immutable. */
public final class PartitionRecords {
    private PartitionRecords() {}

    /** A partition, and the server that has it. Immutable. */
    public record Shown(
            int partition,

            @Described("The id of the server that serves it, for administrators; missing while none does.")
            Optional<String> server,

            @Described("Where clients reach that server.") Optional<String> address,

            @Described("Number of its ownership; grows with each new owner.")
            OptionalLong epoch,

            @Described("Of the oldest message; missing, as next, bytes and messages, while no server has the "
                    + "partition.")
            OptionalLong first,

            @Described("One past the newest message.") OptionalLong next,
            OptionalLong messages,
            @Described("Stored.") OptionalLong bytes,

            @Described("Messages that are put, between this request and one of a few seconds before; missing on the "
                    + "first one.")
            OptionalDouble putsPerSecond) {}

    /** The partitions of a topic. Immutable. */
    @Schema(closed = true)
    public record Partitions(List<Shown> partitions) {}

    /** A segment. Immutable. */
    public record Segment(
            @Described("Offset of its first message.") long first,

            @Described("Offset of its last message; missing if it has none, or no server has the partition.")
            OptionalLong last,

            OptionalLong messages,
            OptionalLong bytes,
            @Described("Whether it takes nothing more.") boolean sealed,
            @Described("Of the owner that made it.") long epoch,

            @Described("Its first message was appended at or after this; missing if not known.")
            Optional<Instant> appendedFrom,

            @Described("When its last message was appended; missing while it is not sealed.")
            Optional<Instant> appendedTo) {}

    /** The segments of a partition. Immutable. */
    @Schema(closed = true)
    public record Segments(int partition, List<Segment> segments) {}
}
