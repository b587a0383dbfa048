// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.talos.cli.Units;

/**
 * The view of {@code top}: made of two samples, the size of the terminal and the keys that were pressed, without any of
 * the three being there.
 *
 * <p>Confined: the main thread.
 */
final class TopView {
    /** Lines around the table: two above its head, the head, and one below. */
    private static final int OTHER_LINES = 5;

    private static final int LEAST_NAME = 12;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final List<String> HELP = List.of(
            "q          quit",
            "t, g, Tab  topics, groups, the other of them",
            "s          sort by the next column, whose name is in brackets",
            "r          sort the other way round",
            "j, k       down, up, as arrows and page keys do",
            "p, space   pause, and resume",
            "?          this, and back");

    private final String servers;
    private final ZoneId zone;
    private @Nullable Sample before;
    private @Nullable Sample now;
    private String failure = "";
    private boolean groups;
    private Column sortOfTopics = Column.PUT;
    private Column sortOfGroups = Column.LAG;
    private boolean reverse;
    private boolean paused;
    private boolean help;
    private int top;

    /**
     * Nothing has been sampled yet.
     *
     * @param servers whose topics are shown
     */
    TopView(String servers, ZoneId zone) {
        this.servers = servers;
        this.zone = zone;
    }

    /** There is a newer sample. */
    void sampled(Sample sample) {
        failure = "";
        if (!paused) {
            before = now == null ? sample : now;
            now = sample;
        }
    }

    /** Notes that no sample could be taken; the last one stays on the screen. */
    void failed(String why) {
        failure = why;
    }

    /** A key was pressed; false: it ends the command. */
    boolean pressed(Key key, int lines) {
        int page = Math.max(1, lines - OTHER_LINES);
        switch (key) {
            case QUIT -> {
                return false;
            }
            case TOPICS -> show(false);
            case GROUPS -> show(true);
            case NEXT_VIEW -> show(!groups);
            case SORT -> sortByNext();
            case REVERSE -> reverse = !reverse;
            case UP -> top -= 1;
            case DOWN -> top += 1;
            case PAGE_UP -> top -= page;
            case PAGE_DOWN -> top += page;
            case PAUSE -> paused = !paused;
            case HELP -> help = !help;
            case NONE -> {}
        }
        return true;
    }

    private void show(boolean ofGroups) {
        groups = ofGroups;
        top = 0;
    }

    private List<Column> columns() {
        return groups ? Column.OF_GROUPS : Column.OF_TOPICS;
    }

    private Column sort() {
        return groups ? sortOfGroups : sortOfTopics;
    }

    private void sortByNext() {
        Column next = columns().get((columns().indexOf(sort()) + 1) % columns().size());
        if (groups) {
            sortOfGroups = next;
        } else {
            sortOfTopics = next;
        }
    }

    /** Returns the lines of a screen, none longer than it is wide, and no more of them than it has. */
    List<String> screen(int width, int lines) {
        List<String> screen = new ArrayList<>();
        screen.add(headline());
        Sample shown = now;
        Sample earlier = before;
        if (shown == null || earlier == null) {
            screen.add(failure.isEmpty() ? "asking ..." : failure);
        } else {
            screen.add(failure.isEmpty() ? totals(earlier, shown) : failure);
            screen.add("");
            if (help) {
                screen.addAll(HELP);
            } else {
                screen.addAll(table(earlier, shown, width, Math.max(1, lines - OTHER_LINES)));
            }
            while (screen.size() < lines - 1) {
                screen.add("");
            }
            screen.add(
                    "q quit  t topics  g groups  s sort  r reverse  p " + (paused ? "resume" : "pause") + "  ? help");
        }
        return screen.stream()
                .limit(lines)
                .map(line -> line.length() > width ? line.substring(0, width) : line)
                .toList();
    }

    private String headline() {
        String time = now == null ? "" : "  " + TIME.format(now.at().atZone(zone));
        return "talos top  " + servers + time + (paused ? "  paused" : "");
    }

    private static String totals(Sample before, Sample now) {
        List<Row> rows = Row.ofTopics(before, now);
        double put = rows.stream()
                .mapToDouble(Row::perSecond)
                .filter(rate -> !Double.isNaN(rate))
                .sum();
        double bytes = rows.stream()
                .mapToDouble(Row::bytesPerSecond)
                .filter(rate -> !Double.isNaN(rate))
                .sum();
        String topics = rows.size() < now.topicsInAll()
                ? rows.size() + " of " + now.topicsInAll() + " topics (--topics chooses)"
                : rows.size() + (rows.size() == 1 ? " topic" : " topics");
        return topics + ", " + now.groups().size() + (now.groups().size() == 1 ? " group" : " groups") + ": put "
                + Units.rate(put) + "/s, " + Units.bytes((long) bytes) + "/s; "
                + sum(rows, Row::bytes, Units::bytes) + " kept; lag " + sum(rows, Row::lag, Units::count);
    }

    /** Returns a sum, with + where some of it is not known: it is that or more. */
    private static String sum(List<Row> rows, Function<Row, OptionalLong> figure, LongFunction<String> text) {
        boolean known = rows.stream().allMatch(row -> figure.apply(row).isPresent());
        long sum = rows.stream().mapToLong(row -> figure.apply(row).orElse(0)).sum();
        return text.apply(sum) + (known ? "" : "+");
    }

    /** Returns the head of the table, and as many of its rows as there is room for. */
    List<String> table(Sample earlier, Sample shown, int width, int room) {
        List<Row> rows = new ArrayList<>(groups ? Row.ofGroups(earlier, shown) : Row.ofTopics(earlier, shown));
        Comparator<Row> order = sort().order();
        rows.sort(reverse ? Collections.reverseOrder(order) : order);
        top = Math.max(0, Math.min(top, rows.size() - room));
        List<String> table = new ArrayList<>();
        table.add(line(width, column -> column.equals(sort()) ? "[" + column.title() + "]" : column.title()));
        for (Row row : rows.subList(top, Math.min(rows.size(), top + room))) {
            table.add(line(width, column -> column.text().apply(row)));
        }
        if (rows.isEmpty()) {
            table.add(groups ? "no groups yet" : "no topics yet: talos topic create NAME");
        }
        return table;
    }

    /** The text of a column in a line. */
    private interface Cell {
        String of(Column column);
    }

    private String line(int width, Cell cell) {
        int fixed = columns().stream().mapToInt(Column::width).sum();
        int name = Math.max(LEAST_NAME, width - fixed);
        StringBuilder line = new StringBuilder();
        for (Column column : columns()) {
            int room = column.width() == 0 ? name : column.width() - 1;
            String text = cell.of(column);
            String fitting = text.length() > room ? text.substring(0, room - 1) + "~" : text;
            String format = column.isWord() ? "%-" + room + "s" : "%" + room + "s";
            line.append(column.width() == 0 ? "" : " ").append(String.format(Locale.ROOT, format, fitting));
        }
        return line.toString();
    }
}
