// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.Schema;
import org.talos.server.http.rest.records.MessageRecords.Message;

/** Members of consumer groups, and their commits and fetches. Immutable. */
public final class MemberRecords {
    private MemberRecords() {}

    /** The terms on which a member joins. Immutable. */
    @Schema(closed = true)
    public record Join(
            @Described(
                    value = "Milliseconds that the member may be silent: at most what the server gives, which is "
                            + "also what it gets if this is missing.",
                    min = 1000,
                    max = 86400000)
            OptionalLong lease) {}

    /** A member with its partitions to read. Immutable. */
    @Schema
    public record Member(
            String member,

            @Described("Milliseconds that it may be silent.")
            long lease,

            List<Integer> partitions) {}

    /** An offset of a partition. Immutable. */
    @Schema(closed = true)
    public record Position(
            @Described(min = 0, format = "int32") int partition,

            @Described(value = "The next one to read.", min = 0, format = "int64")
            long offset) {}

    /** The positions to commit. Immutable. */
    @Schema(closed = true)
    public record Commit(List<Position> offsets) {}

    /** The commit and the fetch of a member. Immutable. */
    @Schema(closed = true)
    public record Fetch(
            @Described("What has been processed: next of the answer before.")
            Optional<List<Position>> commit,

            @Described("Where to read on in a partition, if not at what is committed.")
            Optional<List<Position>> positions,

            @Described(
                    value = "Where a group begins in a partition that it never committed.",
                    words = {"earliest", "latest"},
                    usual = "earliest")
            Optional<String> begin,

            @Described(min = 1, max = 10000, usual = "100") OptionalInt maxMessages,

            @Described(min = 1, max = 1073741824, format = "int64", usual = "1048576")
            OptionalLong maxBytes,

            @Described(
                    name = "wait",
                    value = "Milliseconds to wait for messages, not longer than the lease.",
                    min = 0,
                    max = 600000,
                    usual = "0")
            OptionalLong waitMillis,

            @Described(
                    words = {"auto", "text", "base64", "json"},
                    usual = "auto")
            Optional<String> as) {}

    /** A message and its partition. Immutable. */
    @Schema
    public record MemberMessage(@Inlined(byReference = true) Message message, int partition) {}

    /** Messages that a group has missed. Immutable. */
    public record Missed(int partition, long messages) {}

    /** A partition of which nothing can be given. Immutable. */
    public record Failed(
            int partition,
            @Described("As of a problem.") String code,

            @Described("Whether a later fetch may give its messages, without an operator.")
            boolean retryable,

            String detail) {}

    /** A block that cannot be read. Immutable. */
    public record Block(
            int partition,

            @Described(value = "Offset of the block's first message.", format = "int64")
            long first,

            @Described(value = "Offset of its last one.", format = "int64")
            long last,

            @Described(value = "The position behind the unreadable block.", format = "int64")
            long skip) {}

    /** A block that cannot be read. Immutable. */
    public record Unreadable(@Inlined Block block, String detail) {}

    /** The answer to a member's fetch. Immutable. */
    @Schema
    public record MemberFetched(
            @Described("What the member holds.") List<Integer> partitions,

            @Described("What it is to give up: others get it once its messages are committed.")
            List<Integer> revoking,

            @Described("What it wanted to commit and others hold: nothing of it was committed.")
            List<Integer> lost,

            @Described("What it wanted to commit and no server has now: nothing of it was committed; commit it again.")
            List<Integer> unserved,

            List<MemberMessage> messages,

            @Described("What to commit when the messages are processed.")
            List<Position> next,

            @Described("Blocks at which the member stands and that cannot be read: nothing of their partitions "
                    + "comes until it commits skip.")
            List<Unreadable> unreadable,

            @Described("Partitions of which nothing can be given now.")
            List<Failed> failed,

            @Described("Messages that had expired before the group read them.")
            List<Missed> missed) {}
}
