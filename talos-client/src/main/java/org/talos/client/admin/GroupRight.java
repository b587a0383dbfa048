// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/** Rights to a consumer group; each includes those before it. */
public enum GroupRight {
    /** To see members, offsets and lag. */
    READ,
    /** To join, to commit, and to leave as one's own member. */
    COMMIT,
    /** To reset and delete the group, and to give rights to others. */
    ADMINISTER
}
