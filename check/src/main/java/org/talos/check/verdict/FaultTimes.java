// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** When faults were active, and how many of each kind there were. Immutable. */
final class FaultTimes {
    private final List<Time> times = new ArrayList<>(); // in order; none overlap, as one fault follows another
    private final SortedMap<String, Integer> kinds = new TreeMap<>();

    /** From the beginning of a fault to its repair. Immutable. */
    private record Time(long start, long end) {}

    FaultTimes(Facts facts) {
        Map<String, Long> open = new HashMap<>();
        List<Operation> changes = facts.operations().stream()
                .filter(each -> each.kind() == Kind.FAULT || each.kind() == Kind.HEAL)
                .sorted(Comparator.comparingLong(Operation::number))
                .toList();
        for (Operation each : changes) {
            if (each.kind() == Kind.FAULT) {
                open.put(each.note(), each.span().start());
                count(each);
            } else {
                Long start = open.remove(each.note());
                times.add(new Time(
                        start == null ? each.span().start() : start, each.span().end()));
            }
        }
        open.values().forEach(start -> times.add(new Time(start, Long.MAX_VALUE)));
    }

    /** Histories of earlier versions have a fault's name only. */
    private void count(Operation fault) {
        List<String> of = fault.marks().isEmpty()
                ? List.of(fault.note())
                : fault.marks().stream().map(Mark::key).toList();
        of.forEach(kind -> kinds.merge(kind, 1, Integer::sum));
    }

    /** Returns how many faults of each kind there were; those of two kinds at the same time are counted as both. */
    SortedMap<String, Integer> kinds() {
        return kinds;
    }

    /** Returns how much of a time was without any fault. */
    long calmNanos(long from, long to) {
        long under = times.stream()
                .mapToLong(each -> Math.max(0, Math.min(each.end(), to) - Math.max(each.start(), from)))
                .sum();
        return to - from - under;
    }

    /** Returns whether a fault was active at any moment of a time. */
    boolean touches(long from, long to) {
        return calmNanos(from, to) < to - from;
    }
}
