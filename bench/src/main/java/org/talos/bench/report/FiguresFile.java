// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.cli.CommandException;

/**
 * The file figures.csv: format and experiment in the first line, names in the second, then a line for each operation of
 * each case in each round. Cells are quoted where they must be; an empty one was not measured. Immutable.
 *
 * @param experiment the command whose figures they are
 */
record FiguresFile(String experiment, List<FigureRow> rows) {
    static final String NAME = "figures.csv";

    private static final int FORMAT = 1;
    private static final Pattern FIRST_LINE = Pattern.compile("# talos bench figures, format (\\d+), of (\\S+)");
    private static final List<String> KEYS = List.of("case", "round", "operation");
    /** A cell in quotes, where a doubled quote is a quote, or one without; then what ends it. */
    private static final Pattern CELL = Pattern.compile("(?:\"((?:[^\"]|\"\")*+)\"|([^\",]*))(,|$)");

    FiguresFile {
        rows = List.copyOf(rows);
    }

    void write(Path folder) throws IOException {
        List<String> names = new ArrayList<>(FigureRow.RESULTS);
        names.addAll(FigureRow.EXTENT);
        names.addAll(FigureRow.others(rows));
        List<String> lines = new ArrayList<>();
        lines.add("# talos bench figures, format " + FORMAT + ", of " + experiment);
        List<String> head = new ArrayList<>(KEYS);
        head.addAll(names);
        lines.add(line(head));
        for (FigureRow row : rows) {
            List<String> cells =
                    new ArrayList<>(List.of(row.caseName(), Integer.toString(row.round()), row.operation()));
            names.forEach(name -> cells.add(number(row.value(name))));
            lines.add(line(cells));
        }
        Files.write(folder.resolve(NAME), lines);
    }

    /** Reads the figures of a report; what cannot be read is refused by the file's name. */
    static FiguresFile read(Path folder) throws IOException, CommandException {
        Path file = folder.resolve(NAME);
        if (!Files.isRegularFile(file)) {
            throw new CommandException(folder + " has no " + NAME + ": it is not the report of a finished round");
        }
        List<String> lines = Files.readAllLines(file);
        Matcher first = FIRST_LINE.matcher(lines.isEmpty() ? "" : lines.get(0));
        if (!first.matches()) {
            throw new CommandException(file + " does not begin as figures do: '# talos bench figures, format …'");
        }
        if (!first.group(1).equals(Integer.toString(FORMAT))) {
            throw new CommandException(
                    file + " has format " + first.group(1) + ", but this talos reads format " + FORMAT + " only");
        }
        if (lines.size() < 3) {
            throw new CommandException(file + " has no figures");
        }
        List<FigureRow> rows = new ArrayList<>();
        List<String> head = cells(file, 2, lines.get(1));
        for (int i = 2; i < lines.size(); i++) {
            rows.add(row(file, i + 1, head, cells(file, i + 1, lines.get(i))));
        }
        return new FiguresFile(first.group(2), rows);
    }

    private static FigureRow row(Path file, int line, List<String> head, List<String> cells) throws CommandException {
        if (cells.size() != head.size()
                || !head.subList(0, Math.min(KEYS.size(), head.size())).equals(KEYS)) {
            throw unreadable(file, line);
        }
        try {
            Map<String, Double> values = new LinkedHashMap<>();
            for (int i = KEYS.size(); i < cells.size(); i++) {
                if (!cells.get(i).isEmpty()) {
                    values.put(head.get(i), Double.parseDouble(cells.get(i)));
                }
            }
            return new FigureRow(cells.get(0), Integer.parseInt(cells.get(1)), cells.get(2), values);
        } catch (NumberFormatException e) {
            throw unreadable(file, line);
        }
    }

    private static CommandException unreadable(Path file, int line) {
        return new CommandException(file + ", line " + line + " is not one of figures");
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "" : Double.toString(value);
    }

    private static String line(List<String> cells) {
        return String.join(",", cells.stream().map(FiguresFile::quoted).toList());
    }

    private static String quoted(String cell) {
        return cell.contains(",") || cell.contains("\"") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    private static List<String> cells(Path file, int number, String line) throws CommandException {
        List<String> cells = new ArrayList<>();
        Matcher cell = CELL.matcher(line);
        boolean more = true;
        for (int at = 0; more; at = cell.end()) {
            if (!cell.region(at, line.length()).lookingAt()) {
                throw unreadable(file, number);
            }
            String plain = cell.group(2);
            cells.add(plain == null ? cell.group(1).replace("\"\"", "\"") : plain);
            more = !cell.group(3).isEmpty();
        }
        return cells;
    }
}
