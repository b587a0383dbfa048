// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The order of a list: by name, or by a figure and then by name. Rows with an unknown figure are last in both
 * directions. Immutable.
 *
 * @param byFigure whether the list is sorted by a figure
 * @param isDescending whether the largest figure, or the last name, is first
 */
public record ListOrder(boolean byFigure, boolean isDescending) implements Comparator<ListPlace> {
    /** Separates the parts of a place; it sorts before all characters of names. */
    public static final char SEPARATOR = ',';

    @Override
    public int compare(ListPlace one, ListPlace other) {
        int names = one.name().compareTo(other.name());
        if (!byFigure) {
            return directed(names);
        }
        if (one.figure().isEmpty() || other.figure().isEmpty()) {
            int unknown = Boolean.compare(one.figure().isEmpty(), other.figure().isEmpty());
            return unknown != 0 ? unknown : names;
        }
        int figures = Long.compare(one.figure().getAsLong(), other.figure().getAsLong());
        return figures != 0 ? directed(figures) : names;
    }

    private int directed(int ascending) {
        return isDescending ? -ascending : ascending;
    }

    /** Returns a place as clients send it back to read the page behind it. */
    public String token(ListPlace place) {
        if (!byFigure) {
            return place.name();
        }
        String figure =
                place.figure().isPresent() ? Long.toString(place.figure().getAsLong()) : "";
        return figure + SEPARATOR + place.name();
    }

    /** Reads a place that {@link #token} wrote; empty if the text does not belong to a list with this order. */
    public Optional<ListPlace> place(String token) {
        if (!byFigure) {
            return Optional.of(ListPlace.of(token));
        }
        int separator = token.indexOf(SEPARATOR);
        if (separator < 0) {
            return Optional.empty();
        }
        String figure = token.substring(0, separator);
        String name = token.substring(separator + 1);
        if (figure.isEmpty()) {
            return Optional.of(ListPlace.of(name));
        }
        try {
            return Optional.of(new ListPlace(OptionalLong.of(Long.parseLong(figure)), name));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
