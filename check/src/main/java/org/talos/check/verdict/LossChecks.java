// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Operation;

/** Checks that acknowledged values are not lost. Immutable. */
final class LossChecks {
    private LossChecks() {}

    /**
     * Values that were acknowledged and never read although something later in the partition was read. An answer
     * without an offset counts too: its value lies before every value put later.
     */
    static List<Anomaly> lost(Facts facts) {
        Map<String, Sent> latest = new HashMap<>();
        for (Sent each : facts.sent()) {
            if (facts.wasRead(each.value())) {
                latest.merge(each.key(), each, (one, other) -> one.begun() >= other.begun() ? one : other);
            }
        }
        List<Anomaly> found = new ArrayList<>();
        for (Sent each : facts.sent()) {
            if (!each.acknowledged() || facts.wasRead(each.value())) {
                continue;
            }
            Operation witness = behind(facts, each, latest.get(each.key()));
            if (witness != null) {
                found.add(new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "value %s of %s was acknowledged and never read, though later ones were",
                                each.value(),
                                each.key()),
                        Anomalies.join(each.operations(), witness)));
            }
        }
        return found;
    }

    /** A value that was read and has a higher offset. */
    private static @Nullable Operation behind(Facts facts, Sent each, @Nullable Sent latest) {
        if (each.offset() != Entry.UNKNOWN) {
            Map.Entry<Long, Map<String, Operation>> last =
                    facts.read(each.key()).lastEntry();
            if (last != null && last.getKey() >= each.offset()) {
                return last.getValue().values().iterator().next();
            }
        }
        return latest != null && latest.begun() > each.done() ? latest.first() : null;
    }

    static List<Anomaly> holes(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        for (String key : facts.keysRead()) {
            long before = Entry.UNKNOWN;
            for (Map.Entry<Long, Map<String, Operation>> place : facts.read(key).entrySet()) {
                if (before != Entry.UNKNOWN && place.getKey() != before + 1) {
                    found.add(new Anomaly(
                            String.format(
                                    Locale.ROOT, "of %s nobody read %d to %d", key, before + 1, place.getKey() - 1),
                            List.copyOf(place.getValue().values())));
                }
                before = place.getKey();
            }
        }
        return found;
    }

    static List<Anomaly> unseen(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        for (Sent each : facts.sent()) {
            if (each.acknowledged() && !facts.wasRead(each.value()) && !facts.isDeleted(each.key())) {
                found.add(new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "value %s of %s was acknowledged and never read",
                                each.value(),
                                each.key()),
                        each.operations()));
            }
        }
        return found;
    }

    static List<Anomaly> stuck(Facts facts) {
        return facts.operations(Kind.DRAIN).stream()
                .filter(each -> !each.ok())
                .map(each -> new Anomaly("the end was not reached: " + each.note(), List.of(each)))
                .toList();
    }
}
