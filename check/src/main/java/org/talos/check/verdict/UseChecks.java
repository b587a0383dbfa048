// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** The check of what servers use in the course of a long run. Immutable. */
final class UseChecks {
    /** Below these there is no telling growth from what clients happen to do: bytes, and pieces. */
    private static final Map<String, Long> SMALL = Map.of("heap", 96L << 20, "threads", 150L, "files", 400L);

    /** The first and the last time that something was looked at. Immutable. */
    private record Course(Mark first, Mark last, List<Operation> operations) {
        String kind() {
            return first.key().substring(first.key().lastIndexOf(' ') + 1);
        }

        String shown() {
            return String.format(Locale.ROOT, "%s %s", first.key(), UseChecks.shown(kind(), first.to(), last.to()));
        }
    }

    private UseChecks() {}

    private static String shown(String kind, long first, long last) {
        return kind.equals("heap")
                ? String.format(Locale.ROOT, "%d, then %d MiB", first >> 20, last >> 20)
                : String.format(Locale.ROOT, "%d, then %d", first, last);
    }

    private static boolean grows(long small, long first, long last) {
        return last > Math.max(small, first + first / 2);
    }

    /**
     * Finds what a server has more of in the end than any had once the run had settled, or all together more than
     * before: what one uses follows the partitions that it has, and those move.
     */
    static List<Anomaly> growing(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        courses(facts).values().stream()
                .collect(Collectors.groupingBy(Course::kind, TreeMap::new, Collectors.toList()))
                .forEach((kind, ofAll) -> found.addAll(growing(kind, ofAll)));
        return found;
    }

    private static List<Anomaly> growing(String kind, List<Course> ofAll) {
        long small = SMALL.getOrDefault(kind, 0L);
        long most = ofAll.stream().mapToLong(each -> each.first().to()).max().orElse(0);
        List<Anomaly> found = new ArrayList<>();
        for (Course each : ofAll) {
            if (grows(small, most, each.last().to())) {
                found.add(new Anomaly(each.shown(), each.operations()));
            }
        }
        long first = ofAll.stream().mapToLong(each -> each.first().to()).sum();
        long last = ofAll.stream().mapToLong(each -> each.last().to()).sum();
        if (found.isEmpty() && grows(ofAll.size() * small, first, last)) {
            List<Operation> all =
                    ofAll.stream().flatMap(each -> each.operations().stream()).toList();
            found.add(new Anomaly("all servers " + kind + " " + shown(kind, first, last), all));
        }
        return found;
    }

    /** Returns the use of the servers, a line each; nothing for a run that was too short. */
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
