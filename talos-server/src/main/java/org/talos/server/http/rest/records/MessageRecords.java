// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;
import org.talos.server.http.rest.records.ProblemRecords.Problem;

/**
 * Messages, their places, and the tokens of streams of them. Answers with messages are written field by field.
 * Immutable.
 */
public final class MessageRecords {
    private MessageRecords() {}

    /** The messages of a put. Immutable. */
    @Schema(closed = true)
    public record Batch(@Described(min = 1, max = 10000) List<NewMessage> messages) {}

    /** A message to put. Immutable. */
    @Schema(
            closed = true,
            oneOf = {"value", "json", "base64"})
    @Described("Its bytes, which may be none, as value, json or base64: one of the three.")
    public record NewMessage(
            Optional<String> value,
            @Described(schema = """
                            {
                              "type": [
                                "object",
                                "array",
                                "string",
                                "number",
                                "boolean"
                              ]
                            }
                            """) Optional<Object> json,

            @Described(pattern = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$")
            Optional<String> base64,

            @Described(value = "1 to 256 bytes of UTF-8.", min = 1, max = 64)
            Optional<String> key,

            Optional<String> tag,
            @Described(format = "int64") OptionalLong timestamp,
            Optional<Map<String, String>> headers) {}

    /** The place of a message. Immutable. */
    @Schema
    public record Place(int partition, long offset) {}

    /** The place of a message, or the problem of its partition. Immutable. */
    public record Result(int partition, OptionalLong offset, Optional<Problem> problem) {}

    /** The places of the messages of a batch. Immutable. */
    @Schema
    public record Stored(
            @Described("In the order of the batch.") List<Result> messages) {}

    /** A message. Immutable. */
    @Schema
    public record Message(
            long offset,
            Optional<String> key,
            Optional<String> tag,
            OptionalLong timestamp,
            OptionalLong appendTimestamp,
            Optional<Map<String, String>> headers,
            Optional<String> value,
            Optional<String> base64,
            Optional<Object> json) {}

    /** Messages of a partition. Immutable. */
    @Schema
    public record Read(
            int partition,
            @Described("The oldest message that there is.") long start,
            @Described("One past the newest.") long end,
            @Described("The position to continue from.") long next,
            List<Message> messages) {}

    /** The offsets of a partition. Immutable. */
    public record Bounds(
            int partition,

            @Described("Missing, as end, while no server has the partition.")
            OptionalLong start,

            OptionalLong end,
            OptionalLong offset) {}

    /** The offsets of all partitions. Immutable. */
    @Schema
    public record Offsets(List<Bounds> partitions) {}

    /** A token to make. Immutable. */
    @Schema(closed = true)
    public record NewStreamToken(
            @Described(
                    value = "How long it lives; 60 by default, auth.maxStreamTokenAge at most.",
                    min = 1,
                    max = 86400)
            OptionalLong seconds) {}

    /** A token that opens event streams. Immutable; its text has no secret. */
    @Schema
    public record StreamToken(
            @Described("For the parameter of that name.") String token, Instant expires) {
        @Override
        public String toString() {
            return "StreamToken[expires=" + expires + "]";
        }
    }
}
