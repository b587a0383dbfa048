// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/**
 * Measures how stale empty read answers were: the age of the oldest message that was acknowledged before the read began
 * and that the answer lacked. A former owner that does not know of its successor answers so; under a fault that is
 * counted and is no anomaly. Immutable.
 */
final class StaleCheck {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(30);

    private StaleCheck() {}

    static List<Anomaly> stale(Facts facts) {
        NavigableMap<Long, Boolean> calm = calm(facts);
        List<Anomaly> found = new ArrayList<>();
        each(facts, (poll, sent) -> {
            long age = poll.span().start() - sent.done();
            if (age > BOUND_NANOS && calm.floorEntry(poll.span().start()).getValue()) {
                found.add(new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "process %d got an answer without messages, %d ms after value %s of %s was acknowledged",
                                poll.process(),
                                TimeUnit.NANOSECONDS.toMillis(age),
                                sent.value(),
                                sent.key()),
                        Anomalies.join(sent.operations(), poll)));
            }
        });
        return found;
    }

    /** The largest staleness, under faults or not. */
    static long worstNanos(Facts facts) {
        long[] worst = {0};
        each(facts, (poll, sent) -> worst[0] = Math.max(worst[0], poll.span().start() - sent.done()));
        return worst[0];
    }

    private static void each(Facts facts, BiConsumer<Operation, Sent> found) {
        Map<String, NavigableMap<Long, Sent>> earliest = earliestFrom(facts);
        for (Operation poll : facts.operations(Kind.POLL)) {
            if (!poll.ok() || !poll.entries().isEmpty() || !poll.group().isEmpty()) {
                continue; // a group's member may be given nothing because others are
            }
            for (Mark mark : poll.marks()) {
                Sent sent = missed(earliest.get(mark.key()), mark);
                if (sent != null && sent.done() < poll.span().start()) {
                    found.accept(poll, sent);
                }
            }
        }
    }

    private static @Nullable Sent missed(@Nullable NavigableMap<Long, Sent> earliest, Mark mark) {
        Map.Entry<Long, Sent> first = earliest == null || mark.to() < 0 ? null : earliest.ceilingEntry(mark.to());
        return first == null ? null : first.getValue();
    }

    /** Returns, by partition and offset, the earliest acknowledgement of any value from that offset on. */
    private static Map<String, NavigableMap<Long, Sent>> earliestFrom(Facts facts) {
        Map<String, NavigableMap<Long, Sent>> all = new HashMap<>();
        for (Sent each : facts.sent()) {
            long offset = facts.offset(each);
            if (each.acknowledged() && offset != Entry.UNKNOWN && !facts.isDeleted(each.key())) {
                all.computeIfAbsent(each.key(), key -> new TreeMap<>()).put(offset, each);
            }
        }
        for (NavigableMap<Long, Sent> offsets : all.values()) {
            Sent first = null;
            for (Map.Entry<Long, Sent> each : offsets.descendingMap().entrySet()) {
                first = first == null || each.getValue().done() < first.done() ? each.getValue() : first;
                each.setValue(first);
            }
        }
        return all;
    }

    /** From each of these times on: whether no fault is active or has been active shortly before. */
    private static NavigableMap<Long, Boolean> calm(Facts facts) {
        NavigableMap<Long, Boolean> calm = new TreeMap<>(Map.of(Long.MIN_VALUE, true));
        Set<String> open = new HashSet<>();
        List<Operation> changes = facts.operations().stream()
                .filter(each -> each.kind() == Kind.FAULT || each.kind() == Kind.HEAL)
                .sorted(Comparator.comparingLong(Operation::number))
                .toList();
        for (Operation each : changes) {
            if (each.kind() == Kind.FAULT) {
                open.add(each.note());
                calm.put(each.span().start(), false);
            } else {
                open.remove(each.note());
            }
            calm.tailMap(each.span().start(), false).clear();
            if (open.isEmpty()) {
                calm.put(each.span().end() + SETTLED_NANOS, true);
            }
        }
        return calm;
    }
}
