// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.Objects;

/**
 * An org that a topic is shared with, and the team that administers it there.
 *
 * <p>Immutable.
 */
public record SubResource(String orgId, String adminTeamId) {
    public SubResource {
        Objects.requireNonNull(orgId, "orgId");
        Objects.requireNonNull(adminTeamId, "adminTeamId");
    }
}
