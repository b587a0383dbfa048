// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** Checks that each value is stored at one offset, and each offset holds one value. Immutable. */
final class PlaceChecks {
    private PlaceChecks() {}

    /** Returns the values that put answers and reads reported, by partition and offset. */
    private static Map<String, NavigableMap<Long, Map<String, Operation>>> reported(Facts facts) {
        Map<String, NavigableMap<Long, Map<String, Operation>>> all = new TreeMap<>();
        for (Operation each : facts.operations()) {
            if (each.kind() != Kind.POLL && !(each.kind() == Kind.SEND && each.ok())) {
                continue;
            }
            for (Entry entry : each.entries()) {
                if (entry.offset() != Entry.UNKNOWN) {
                    all.computeIfAbsent(entry.key(), key -> new TreeMap<>())
                            .computeIfAbsent(entry.offset(), offset -> new LinkedHashMap<>(Facts.FEW))
                            .putIfAbsent(entry.value(), each);
                }
            }
        }
        return all;
    }

    static List<Anomaly> inconsistent(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        reported(facts)
                .forEach((key, offsets) -> offsets.forEach((offset, values) -> {
                    if (values.size() > 1) {
                        found.add(new Anomaly(
                                String.format(Locale.ROOT, "%s has at %d the values %s", key, offset, values.keySet()),
                                List.copyOf(values.values())));
                    }
                }));
        return found;
    }

    static List<Anomaly> duplicates(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        for (String key : facts.keysRead()) {
            Map<String, Map<Long, Operation>> places = new LinkedHashMap<>();
            facts.read(key)
                    .forEach((offset, values) ->
                            values.forEach((value, poll) -> places.computeIfAbsent(value, each -> new TreeMap<>())
                                    .put(offset, poll)));
            places.forEach((value, offsets) -> {
                Sent sent = facts.sent(value);
                if (offsets.size() > 1 && sent != null && !sent.repeatedWithoutIdentity()) {
                    found.add(new Anomaly(
                            String.format(Locale.ROOT, "%s has value %s at %s", key, value, offsets.keySet()),
                            Anomalies.join(sent.operations(), List.copyOf(offsets.values()))));
                }
            });
        }
        return found;
    }

    static List<Anomaly> identities(Facts facts) {
        Map<String, List<Operation>> answers = new LinkedHashMap<>();
        for (Operation send : facts.operations(Kind.SEND)) {
            if (send.ok() && !send.identity().isEmpty() && named(send)) {
                answers.computeIfAbsent(send.identity(), identity -> new ArrayList<>())
                        .add(send);
            }
        }
        List<Anomaly> found = new ArrayList<>();
        answers.forEach((identity, sends) -> {
            Set<List<Entry>> different = new LinkedHashSet<>();
            sends.forEach(each -> different.add(each.entries()));
            if (different.size() > 1) {
                found.add(new Anomaly(
                        String.format(Locale.ROOT, "the put %s was answered by %s", identity, different), sends));
            }
        });
        return found;
    }

    private static boolean named(Operation send) {
        return send.entries().stream().noneMatch(entry -> entry.offset() == Entry.UNKNOWN);
    }

    static List<Anomaly> torn(Facts facts) {
        Map<String, Boolean> drained = new HashMap<>();
        for (Operation each : facts.operations(Kind.DRAIN)) {
            each.marks().stream().map(Mark::key).forEach(key -> drained.merge(key, each.ok(), Boolean::logicalOr));
        }
        List<Anomaly> found = new ArrayList<>();
        for (Operation send : facts.operations(Kind.SEND)) {
            for (int i = 1; i < send.entries().size(); i++) {
                Anomaly anomaly = torn(facts, send, i, drained);
                if (anomaly != null) {
                    found.add(anomaly);
                    break;
                }
            }
        }
        return found;
    }

    private static @Nullable Anomaly torn(Facts facts, Operation send, int second, Map<String, Boolean> drained) {
        Entry one = send.entries().get(second - 1);
        Entry other = send.entries().get(second);
        long first = place(facts, one);
        long next = place(facts, other);
        boolean known = first != Entry.UNKNOWN && next != Entry.UNKNOWN;
        boolean half = first != next && !known && drained.getOrDefault(one.key(), false);
        if (!half && (!known || next == first + 1)) {
            return null;
        }
        return new Anomaly(
                String.format(
                        Locale.ROOT,
                        "values %s and %s were put together and lie at %d and %d (-1: nowhere)",
                        one.value(),
                        other.value(),
                        first,
                        next),
                List.of(send));
    }

    private static long place(Facts facts, Entry entry) {
        Sent sent = facts.sent(entry.value());
        return sent == null || !facts.wasRead(entry.value()) ? Entry.UNKNOWN : facts.offset(sent);
    }
}
