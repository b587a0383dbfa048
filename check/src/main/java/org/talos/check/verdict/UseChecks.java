// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** The check of what servers use in the course of a long run. Immutable. */
final class UseChecks {
    /** Below these there is no telling growth from what clients happen to do: bytes, and pieces. */
    private static final Map<String, Long> SMALL = Map.of("heap", 96L << 20, "threads", 150L, "files", 400L);

    /** The first and the last time that something was looked at. Immutable. */
    private record Course(Mark first, Mark last, List<Operation> operations) {
        /** @param most that a server had once the run had settled */
        boolean grows(long most) {
            long small = SMALL.getOrDefault(kind(), 0L);
            return last.to() > Math.max(small, most + most / 2);
        }

        String kind() {
            return first.key().substring(first.key().lastIndexOf(' ') + 1);
        }

        String shown() {
            return kind().equals("heap")
                    ? String.format(Locale.ROOT, "%s %d, then %d MiB", first.key(), first.to() >> 20, last.to() >> 20)
                    : "%s %d, then %d".formatted(first.key(), first.to(), last.to());
        }
    }

    private UseChecks() {}

    /**
     * Finds what a server has more of in the end than any had once the run had settled: what one uses follows the
     * partitions that it has, and those move.
     */
    static List<Anomaly> growing(Facts facts) {
        Collection<Course> courses = courses(facts).values();
        Map<String, Long> most = new HashMap<>();
        courses.forEach(each -> most.merge(each.kind(), each.first().to(), Math::max));
        return courses.stream()
                .filter(each -> each.grows(most.getOrDefault(each.kind(), 0L)))
                .map(each -> new Anomaly(each.shown(), each.operations()))
                .toList();
    }

    /** What servers used, a line each; nothing of a run that was too short to look. */
    static List<String> lines(Facts facts) {
        List<String> lines = new ArrayList<>();
        courses(facts).values().forEach(each -> lines.add("used: " + each.shown()));
        return lines;
    }

    private static Map<String, Course> courses(Facts facts) {
        Map<String, Mark> firsts = new HashMap<>();
        Map<String, Operation> begun = new HashMap<>();
        Map<String, Course> courses = new TreeMap<>();
        for (Operation each : facts.operations(Kind.USED)) {
            for (Mark mark : each.marks()) {
                Mark first = firsts.putIfAbsent(mark.key(), mark);
                Operation began = begun.putIfAbsent(mark.key(), each);
                if (first != null && began != null) {
                    courses.put(mark.key(), new Course(first, mark, List.of(began, each)));
                }
            }
        }
        return courses;
    }
}
