// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;

/** What others may do with a topic or a group. Immutable. */
public final class PermissionRecords {
    private PermissionRecords() {}

    /** What somebody is to do with a topic. Immutable. */
    @Schema(closed = true)
    @Described("With neither, they may describe it.")
    public record Grant(
            @Described(usual = "false") Optional<Boolean> put,
            @Described(usual = "false") Optional<Boolean> get) {}

    /** What one grantee may do. Immutable. */
    public record Permitted(String grantee, boolean put, boolean get, boolean describe, boolean change) {}

    /** What everybody may do with a topic. Immutable. */
    @Schema
    public record Permissions(List<Permitted> permissions) {}

    /** What may not be as intended. Immutable. */
    @Schema
    public record Warnings(@Described("What may not be as intended, for people.") List<String> warnings) {}
}
