// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;
import org.talos.server.http.rest.records.ProblemRecords.Problem;

/** The lines that a search answers. Immutable. */
public final class SearchRecords {
    private SearchRecords() {}

    /** A message that matches. Immutable. */
    @Schema
    public record SearchMessage(
            int partition,
            long offset,
            Optional<String> key,
            Optional<String> tag,
            OptionalLong timestamp,
            OptionalLong appendTimestamp,
            Optional<Map<String, String>> headers,
            @Described("Bytes of the message.") int size,
            Optional<String> value,
            Optional<String> base64,
            Optional<Object> json,
            @Described("True if only a beginning is shown.") Optional<Boolean> truncated)
            implements SearchLine {}

    /** A line of a search: a message, or the state of the search. Immutable. */
    @Schema(closed = true)
    public sealed interface SearchLine permits SearchMessage, ProgressLine, EndLine, ProblemLine {}

    /** The progress of a search. Immutable. */
    public record Progress(
            @Described("That was looked at last.") int partition,

            @Described("The position to continue from there.")
            long offset,

            @Described("Messages looked through so far.") long scanned,

            @Described("Stored bytes looked through so far.")
            long bytes,

            long matches) {}

    /** A line with the progress of a search. Immutable. */
    public record ProgressLine(Progress progress) implements SearchLine {}

    /** The end of a search, and its reason. Immutable. */
    public record End(
            @Described(
                    value = "end: the search is complete; else which bound was reached first.",
                    words = {"end", "limit", "bytes", "time", "quota"})
            String reason,

            long scanned,
            long bytes,
            long matches,

            @Described("Blocks that cannot be read, and were skipped.")
            long skipped,

            @Described("The from of the next search; missing if the search is complete.")
            Optional<String> next) {}

    /** The last line. Immutable. */
    public record EndLine(End end) implements SearchLine {}

    /** A line in place of the last one. Immutable. */
    public record ProblemLine(Problem problem) implements SearchLine {}
}
