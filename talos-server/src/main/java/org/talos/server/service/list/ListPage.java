// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import java.util.List;
import java.util.Optional;

/**
 * A page of a list. Immutable.
 *
 * @param total number of the rows on all pages
 * @param next place of the last row, by {@link ListOrder#token}; empty on the last page
 */
public record ListPage<R>(List<R> rows, long total, Optional<String> next) {
    public ListPage {
        rows = List.copyOf(rows);
    }
}
