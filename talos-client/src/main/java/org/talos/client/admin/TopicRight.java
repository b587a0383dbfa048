// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.Set;

/**
 * The rights of one grantee to a topic. Immutable.
 *
 * @param rights may be empty: to describe it only
 */
public record TopicRight(Grantee grantee, Set<Right> rights) {
    /** Copies the set. */
    public TopicRight {
        rights = Set.copyOf(rights);
    }
}
