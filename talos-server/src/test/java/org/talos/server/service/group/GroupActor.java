// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

/** A member of the group, as a client has it. Confined: a fiber of its own. */
interface GroupActor {
    /** Joins, reads and commits until the member is to end. */
    void live();

    /** The member ends after its next step. */
    void end(boolean leaves);
}
