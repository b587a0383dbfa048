// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** Checks that a log only grows, and only at its end. Immutable. */
final class OrderChecks {
    private OrderChecks() {}

    static List<Anomaly> sends(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        facts.byProcess().forEach((process, operations) -> {
            Map<String, Sent> last = new HashMap<>();
            for (Operation each : operations) {
                if (each.kind() == Kind.SEND && each.ok()) {
                    each.entries().forEach(entry -> follow(facts, each, entry, last, found));
                }
            }
        });
        return found;
    }

    private static void follow(Facts facts, Operation send, Entry entry, Map<String, Sent> last, List<Anomaly> found) {
        Sent sent = facts.sent(entry.value());
        if (sent == null || sent.first().number() != send.number() || facts.offset(sent) == Entry.UNKNOWN) {
            return; // a repetition lies where the first try put it
        }
        Sent before = last.put(entry.key(), sent);
        if (before != null && facts.offset(before) >= facts.offset(sent)) {
            found.add(new Anomaly(
                    String.format(
                            Locale.ROOT,
                            "process %d put %s, then %s to %s: they lie at %d and %d",
                            send.process(),
                            before.value(),
                            sent.value(),
                            entry.key(),
                            facts.offset(before),
                            facts.offset(sent)),
                    Anomalies.join(before.operations(), send)));
        }
    }

    /** Finds puts of a pipelined producer that are stored behind one of its puts that is not. */
    static List<Anomaly> gaps(Facts facts) {
        Map<String, Operation> missing = new HashMap<>(); // by producer and partition: the first
        List<Anomaly> found = new ArrayList<>();
        for (Operation each : facts.operations(Kind.SEND)) {
            if (!each.client().equals(Operation.PIPELINED) || each.entries().isEmpty()) {
                continue;
            }
            Entry first = each.entries().get(0);
            String producer = each.identity().substring(0, each.identity().indexOf('#') + 1) + first.key();
            Sent sent = facts.sent(first.value());
            if (sent == null || facts.offset(sent) == Entry.UNKNOWN) {
                missing.putIfAbsent(producer, each);
            } else if (missing.containsKey(producer)) {
                found.add(new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "%s has at %d a value that was put after a missing one",
                                first.key(),
                                facts.offset(sent)),
                        List.of(missing.get(producer), each)));
            }
        }
        return found;
    }

    /** Finds values whose put began only after one at a higher offset was acknowledged. */
    static List<Anomaly> realTime(Facts facts) {
        Map<String, List<Sent>> placed = new TreeMap<>();
        for (Sent each : facts.sent()) {
            if (facts.offset(each) != Entry.UNKNOWN) {
                placed.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each);
            }
        }
        List<Anomaly> found = new ArrayList<>();
        placed.forEach((key, values) -> {
            values.sort(Comparator.comparingLong(facts::offset));
            Sent latest = values.get(0);
            for (Sent each : values) {
                if (latest.begun() > each.done()) {
                    found.add(new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "%s has at %d what was put after that at %d was acknowledged",
                                    key,
                                    facts.offset(latest),
                                    facts.offset(each)),
                            Anomalies.join(each.operations(), latest.operations())));
                }
                latest = each.begun() > latest.begun() ? each : latest;
            }
        });
        return found;
    }

    /** A start or end offset that a client was given, with the time of the answer. Immutable. */
    private record Reported(long by, long offset, Operation operation) {}

    static List<Anomaly> ends(Facts facts) {
        Map<String, NavigableMap<Long, Reported>> ends = new HashMap<>();
        Map<String, NavigableMap<Long, Reported>> starts = new HashMap<>();
        for (Operation each : byEnd(facts)) {
            if (each.kind() == Kind.POLL || (each.kind() == Kind.SEND && each.ok())) {
                each.entries().stream()
                        .filter(entry -> entry.offset() != Entry.UNKNOWN)
                        .forEach(entry -> report(ends, entry.key(), entry.offset() + 1, each));
            } else if (each.kind() == Kind.OFFSETS && each.ok()) {
                each.marks().forEach(mark -> {
                    report(ends, mark.key(), mark.to(), each);
                    report(starts, mark.key(), mark.from(), each);
                });
            }
        }
        List<Anomaly> found = new ArrayList<>();
        for (Operation each : facts.operations(Kind.OFFSETS)) {
            if (each.ok()) {
                for (Mark mark : each.marks()) {
                    compare("end", each, mark.key(), mark.to(), ends, found);
                    compare("start", each, mark.key(), mark.from(), starts, found);
                }
            }
        }
        return found;
    }

    private static List<Operation> byEnd(Facts facts) {
        return facts.operations().stream()
                .sorted(Comparator.comparingLong((Operation each) -> each.span().end()))
                .toList();
    }

    /** Keeps the highest offset reported so far; operations come in the order of their ends. */
    private static void report(Map<String, NavigableMap<Long, Reported>> all, String key, long offset, Operation by) {
        NavigableMap<Long, Reported> reported = all.computeIfAbsent(key, each -> new TreeMap<>());
        Map.Entry<Long, Reported> last = reported.lastEntry();
        if (last == null || last.getValue().offset() < offset) {
            reported.put(by.span().end(), new Reported(by.span().end(), offset, by));
        }
    }

    private static void compare(
            String what,
            Operation query,
            String key,
            long offset,
            Map<String, NavigableMap<Long, Reported>> reported,
            List<Anomaly> found) {
        Reported most = before(reported.get(key), query.span().start());
        if (most != null && most.offset() > offset) {
            found.add(new Anomaly(
                    String.format(
                            Locale.ROOT,
                            "the %s of %s is reported as %d after it had been %d",
                            what,
                            key,
                            offset,
                            most.offset()),
                    List.of(most.operation(), query)));
        }
    }

    private static @Nullable Reported before(@Nullable NavigableMap<Long, Reported> reported, long time) {
        Map.Entry<Long, Reported> last = reported == null ? null : reported.lowerEntry(time);
        return last == null ? null : last.getValue();
    }
}
