// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.Schema;
import org.talos.server.http.rest.records.MemberRecords.Block;

/** Failures as REST describes them (RFC 9457). {@code Problem} of the package for JSON writes them. Immutable. */
public final class ProblemRecords {
    private ProblemRecords() {}

    /** A failure. Immutable. */
    @Schema
    public record Problem(
            String type,
            String title,
            int status,
            String detail,
            String code,

            @Described("Whether the same request may do better later, and does nothing twice.")
            boolean retryable,

            @Described(words = {"did-not-happen", "happened", "unknown"})
            String outcome,

            Optional<String> requestId) {}

    /** A commit that was not stored for all partitions. Immutable. */
    @Schema
    public record CommitProblem(
            @Inlined Problem problem,

            @Described("Partitions whose offsets are committed; there with unserved.")
            Optional<List<Integer>> committed,

            @Described("Partitions that no server has now: nothing of them was committed; commit it again.")
            Optional<List<Integer>> unserved) {}

    /** A read that begins at a block that cannot be read. Immutable. */
    @Schema
    public record ReadProblem(
            @Inlined Problem problem, @Inlined Block block) {}
}
