// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * An org that a developer has opened a topic to, and the team that looks after it there.
 *
 * <p>Immutable.
 */
public record SubResource(String orgId, String adminTeamId) {
    public SubResource {
        Objects.requireNonNull(orgId, "orgId");
        Objects.requireNonNull(adminTeamId, "adminTeamId");
    }
}
