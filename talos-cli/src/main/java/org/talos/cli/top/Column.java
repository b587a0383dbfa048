// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;
import org.talos.cli.Units;

/**
 * A column of a table: its text for a row, and the order of rows by it. Immutable.
 *
 * @param width characters, including the blank before it; 0 for the rest of the line
 * @param isWord whether it is aligned to the left
 * @param order that puts the most interesting row first
 */
record Column(String title, int width, boolean isWord, Function<Row, String> text, Comparator<Row> order) {
    private static final Column PARTITIONS = number("PARTS", 6, row -> Integer.toString(row.parts()), Row::parts);
    private static final Column MEMBERS = number("MEMBERS", 8, row -> Integer.toString(row.parts()), Row::parts);
    /** Messages that are put a second. */
    static final Column PUT = number("PUT/S", 8, row -> rate(row.perSecond()), Row::perSecond);

    private static final Column PUT_BYTES =
            number("BYTES/S", 11, row -> bytes(row.bytesPerSecond()), Row::bytesPerSecond);
    private static final Column SIZE = perhaps("SIZE", 10, Units::bytes, Row::bytes);
    private static final Column MESSAGES = perhaps("MESSAGES", 9, Units::count, Row::messages);
    private static final Column READ = number("READ/S", 9, row -> rate(row.perSecond()), Row::perSecond);
    /** Messages that a group has not committed. */
    static final Column LAG = perhaps("LAG", 8, Units::count, Row::lag);

    private static final Comparator<Row> BY_NAME =
            Comparator.comparing(Row::name).thenComparing(Row::topic);

    /** The columns of the table of topics. */
    static final List<Column> OF_TOPICS =
            List.of(new Column("TOPIC", 0, true, Row::name, BY_NAME), PARTITIONS, PUT, PUT_BYTES, SIZE, MESSAGES, LAG);

    /** The columns of the table of groups. */
    static final List<Column> OF_GROUPS = List.of(
            new Column("GROUP", 0, true, Row::name, BY_NAME),
            new Column(
                    "OF TOPIC",
                    24,
                    true,
                    Row::topic,
                    Comparator.comparing(Row::topic).thenComparing(Row::name)),
            MEMBERS,
            READ,
            LAG);

    private static Column number(String title, int width, Function<Row, String> text, ToDoubleFunction<Row> figure) {
        return new Column(title, width, false, text, most(figure));
    }

    /** Returns a column of values that may be unknown; unknown ones come first. */
    private static Column perhaps(
            String title, int width, LongFunction<String> text, Function<Row, OptionalLong> figure) {
        return number(
                title,
                width,
                row -> figure.apply(row).isPresent()
                        ? text.apply(figure.apply(row).orElseThrow())
                        : "?",
                row -> figure.apply(row).orElse(Long.MAX_VALUE));
    }

    private static Comparator<Row> most(ToDoubleFunction<Row> figure) {
        return Comparator.comparingDouble(figure)
                .reversed()
                .thenComparing(Row::name)
                .thenComparing(Row::topic);
    }

    private static String rate(double perSecond) {
        return Double.isNaN(perSecond) ? "-" : Units.rate(perSecond);
    }

    private static String bytes(double perSecond) {
        return Double.isNaN(perSecond) ? "-" : Units.bytes((long) perSecond);
    }
}
