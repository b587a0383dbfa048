// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * A holder of rights on a topic: a user, a team, or an org. Immutable.
 *
 * @param id name of the user, not the id of a key, or id of the team ({@code CI…}) or of the org ({@code CL…})
 */
public record Grantee(String id) {
    /** Returns a user, team or org. */
    public static Grantee of(String id) {
        return new Grantee(id);
    }
}
