// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;

/** Permissions for topics and groups. Immutable. */
public final class PermissionRecords {
    private PermissionRecords() {}

    /** Permissions to grant on a topic. Immutable. */
    @Schema(closed = true)
    @Described("With neither, they may describe it.")
    public record Grant(
            @Described(usual = "false") Optional<Boolean> put,
            @Described(usual = "false") Optional<Boolean> get) {}

    /** The permissions of one grantee. Immutable. */
    public record Permitted(String grantee, boolean put, boolean get, boolean describe, boolean change) {}

    /** The permissions of all grantees of a topic. Immutable. */
    @Schema
    public record Permissions(List<Permitted> permissions) {}

    /** Warnings of a request that was carried out. Immutable. */
    @Schema
    public record Warnings(
            @Described("What may not be as intended, for people.")
            List<String> warnings) {}
}
