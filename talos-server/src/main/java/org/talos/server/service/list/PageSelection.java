// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Selects the rows of a page from all rows of a list that match, and counts these. It keeps one row more than the page
 * has.
 *
 * <p>Confined: one request.
 */
public final class PageSelection<R> {
    private final ListQuery query;
    private final PriorityQueue<Placed<R>> first; // the last of them at the head
    private long total;

    public PageSelection(ListQuery query) {
        this.query = query;
        first = new PriorityQueue<>((one, other) -> query.order().compare(other.place(), one.place()));
    }

    /** A row and its place. Immutable. */
    private record Placed<R>(ListPlace place, R row) {}

    /** Adds a row that matches, in any order. */
    public void add(ListPlace place, R row) {
        total++;
        ListOrder order = query.order();
        boolean isBehind =
                query.after().map(after -> order.compare(place, after) > 0).orElse(true);
        @Nullable Placed<R> last = first.size() > query.limit() ? first.peek() : null;
        if (!isBehind || (last != null && order.compare(place, last.place()) >= 0)) {
            return;
        }
        if (last != null) {
            first.remove();
        }
        first.add(new Placed<>(place, row));
    }

    /** Returns the page of the rows that were added. */
    public ListPage<R> page() {
        List<Placed<R>> sorted = new ArrayList<>(first);
        sorted.sort((one, other) -> query.order().compare(one.place(), other.place()));
        List<Placed<R>> shown = sorted.subList(0, Math.min(query.limit(), sorted.size()));
        Optional<String> next = shown.size() < sorted.size()
                ? Optional.of(query.order().token(shown.get(shown.size() - 1).place()))
                : Optional.empty();
        return new ListPage<>(shown.stream().map(Placed::row).toList(), total, next);
    }
}
