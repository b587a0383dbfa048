// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.talos.bench.report.FigureRow.Subject;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;

/** Compares two reports of one experiment: each figure of the first with that of the second. Immutable. */
final class Comparison {
    private final Map<Subject, Rounds> before;
    private final Map<Subject, Rounds> after;
    private final List<String> names;
    private final List<String> differences;

    private Comparison(FiguresFile before, FiguresFile after, List<String> differences) {
        this.before = Rounds.of(before.rows());
        this.after = Rounds.of(after.rows());
        this.differences = differences;
        names = new ArrayList<>(FigureRow.RESULTS);
        names.addAll(FigureRow.others(before.rows()));
    }

    /** Reads both; refuses what is of different experiments. */
    static Comparison of(Path before, Path after) throws IOException, CommandException {
        FiguresFile first = FiguresFile.read(before);
        FiguresFile second = FiguresFile.read(after);
        if (!first.experiment().equals(second.experiment())) {
            throw new CommandException(before + " is a report of bench " + first.experiment() + ", but " + after
                    + " is one of bench " + second.experiment());
        }
        return new Comparison(first, second, differences(before, after));
    }

    private static List<String> differences(Path before, Path after) throws IOException {
        Set<String> first = settings(before);
        Set<String> second = settings(after);
        List<String> lines = new ArrayList<>();
        first.stream().filter(line -> !second.contains(line)).forEach(line -> lines.add("- " + line));
        second.stream().filter(line -> !first.contains(line)).forEach(line -> lines.add("+ " + line));
        return lines;
    }

    private static Set<String> settings(Path folder) throws IOException {
        Path file = folder.resolve(RunFolder.SETTINGS);
        return Files.isRegularFile(file) ? new LinkedHashSet<>(Files.readAllLines(file)) : Set.of();
    }

    /** The comparison as a table. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        if (!differences.isEmpty()) {
            lines.add("settings differ:");
            lines.addAll(differences);
        }
        Set<Subject> both = new LinkedHashSet<>(before.keySet());
        both.retainAll(after.keySet());
        for (Subject subject : both) {
            lines.add(subject.caseName() + ", " + subject.operation());
            Rounds first = Objects.requireNonNull(before.get(subject));
            Rounds second = Objects.requireNonNull(after.get(subject));
            for (String name : names) {
                if (first.sorted(name).length > 0 && second.sorted(name).length > 0) {
                    lines.add(line(name, first, second));
                }
            }
        }
        Set<String> alone = new TreeSet<>();
        before.keySet().stream()
                .filter(each -> !both.contains(each))
                .forEach(each -> alone.add("- " + each.caseName()));
        after.keySet().stream().filter(each -> !both.contains(each)).forEach(each -> alone.add("+ " + each.caseName()));
        if (!alone.isEmpty()) {
            lines.add("only in one of them:");
            lines.addAll(alone);
        }
        return lines;
    }

    /** The ratio of medians, then the least and the most that any round of the one has to any of the other. */
    private static String line(String name, Rounds before, Rounds after) {
        double[] first = before.sorted(name);
        double[] second = after.sorted(name);
        double least = second[0] / first[first.length - 1];
        double most = second[second.length - 1] / first[0];
        boolean overlap = first.length > 1 && second.length > 1 && least <= 1 && most >= 1;
        return format(
                "  %-22s %12.3f -> %12.3f  x %.3f  (%.3f..%.3f)%s",
                name,
                before.median(name),
                after.median(name),
                after.median(name) / before.median(name),
                least,
                most,
                overlap ? "  not distinguishable" : first.length == 1 || second.length == 1 ? "  one round" : "");
    }
}
