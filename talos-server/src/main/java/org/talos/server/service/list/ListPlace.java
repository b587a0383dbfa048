// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import java.util.OptionalLong;

/**
 * The place of a row in a sorted list. A page can begin behind it even if the row is gone. Immutable.
 *
 * @param figure by which the list is sorted; empty if it is unknown, and in lists by name
 * @param name that no other row has
 */
public record ListPlace(OptionalLong figure, String name) {
    /** Returns a place in a list by name. */
    public static ListPlace of(String name) {
        return new ListPlace(OptionalLong.empty(), name);
    }
}
