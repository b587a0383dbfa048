// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.Optional;
import org.talos.server.http.rest.Query;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.service.list.ListOrder;
import org.talos.server.service.list.ListPlace;
import org.talos.server.service.list.ListQuery;
import org.talos.server.service.list.NameFilter;

/** The parameters by which clients search and sort a list, and read it in pages. Immutable. */
final class ListParameters {
    private static final String CONTAINS = "contains";
    private static final String PREFIX = "prefix";
    private static final String SORT = "sort";
    private static final String ORDER = "order";
    private static final String AFTER = "after";
    private static final String LIMIT = "limit";
    private static final int USUAL_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final int MAX_CONTAINS = 200;

    private ListParameters() {}

    /**
     * Returns a route with these parameters.
     *
     * @param places where words are looked for
     * @param sorts the orders that the list has, the first of them by name
     */
    static Route on(Route route, String places, String... sorts) {
        return route.query(
                        CONTAINS,
                        "Only those with each of these words, separated by spaces, in " + places + "; case is ignored.",
                        ValueType.text().maxLength(MAX_CONTAINS))
                .query(PREFIX, "Only names that begin so, in the same case.", ValueType.text())
                .query(
                        SORT,
                        "What the list is sorted by. Where a figure is not known, the row is last.",
                        ValueType.text().words(sorts).usual(sorts[0]))
                .query(
                        ORDER,
                        "desc begins with the largest.",
                        ValueType.text().words("asc", "desc").usual("asc"))
                .query(
                        AFTER,
                        "Begin behind this place: the next of a page that is sorted so, or a name.",
                        ValueType.text())
                .query(
                        LIMIT,
                        "Rows of a page.",
                        ValueType.integer().between(1, MAX_LIMIT).usual(USUAL_LIMIT));
    }

    /** Returns the sort key of the list. */
    static String sort(Query query) {
        return query.text(SORT).orElse("name");
    }

    /**
     * Returns the problem of a list that is not sorted so.
     *
     * @param expected the orders that it has
     */
    static ProblemException unknownSort(String expected) {
        return ProblemException.badRequest("parameter " + SORT + " (expected: " + expected + ")");
    }

    /**
     * Returns the page that is asked for.
     *
     * @param isByFigure whether the list is sorted by a figure
     * @throws ProblemException 400
     */
    static ListQuery page(Query query, boolean isByFigure) {
        ListOrder order = new ListOrder(isByFigure, isDescending(query));
        String contains = query.text(CONTAINS).orElse("");
        if (contains.length() > MAX_CONTAINS) {
            throw ProblemException.badRequest(
                    "parameter " + CONTAINS + " (expected: at most " + MAX_CONTAINS + " characters)");
        }
        return new ListQuery(
                NameFilter.of(contains, query.text(PREFIX).orElse("")),
                order,
                query.text(AFTER).filter(text -> !text.isEmpty()).map(text -> place(order, text)),
                (int) query.number(LIMIT, USUAL_LIMIT, 1, MAX_LIMIT));
    }

    private static boolean isDescending(Query query) {
        return switch (query.text(ORDER).orElse("asc")) {
            case "asc" -> false;
            case "desc" -> true;
            default -> throw ProblemException.badRequest("parameter " + ORDER + " (expected: asc or desc)");
        };
    }

    private static ListPlace place(ListOrder order, String text) {
        Optional<ListPlace> place = order.place(text);
        return place.orElseThrow(() -> ProblemException.badRequest("parameter " + AFTER
                + " (expected: the next of a page with the same " + SORT + "; leave it out for the first page)"));
    }
}
