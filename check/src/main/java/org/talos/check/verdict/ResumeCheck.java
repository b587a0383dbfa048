// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;

/**
 * That who takes a group's partition goes on where the group may have committed. What lies behind that was given to
 * somebody who has not said that it is done with it, and may never be. Immutable.
 */
final class ResumeCheck {
    private ResumeCheck() {}

    /** A group's partition. Immutable. */
    private record Place(String group, String key) {}

    static List<Anomaly> skips(Facts facts) {
        Map<Place, NavigableMap<Long, Long>> committed = committed(facts);
        List<Anomaly> found = new ArrayList<>();
        facts.byProcess().forEach((process, operations) -> {
            Set<String> reading = new HashSet<>();
            for (Operation each : operations) {
                switch (each.kind()) {
                    case ASSIGN, SUBSCRIBE, CRASH -> reading.clear();
                    case POLL -> {
                        if (!each.group().isEmpty()) {
                            look(each, reading, committed, found);
                        }
                    }
                    default -> {
                        // Gives nothing to anybody.
                    }
                }
            }
        });
        return found;
    }

    /** By the time at which it was begun: the most that any commit may have made the group's place until then. */
    private static Map<Place, NavigableMap<Long, Long>> committed(Facts facts) {
        Map<Place, NavigableMap<Long, Long>> all = new HashMap<>();
        for (Operation commit : facts.operations(Kind.COMMIT)) {
            if (commit.outcome() == Outcome.FAIL) {
                continue;
            }
            for (Mark mark : commit.marks()) {
                NavigableMap<Long, Long> most =
                        all.computeIfAbsent(new Place(commit.group(), mark.key()), place -> new TreeMap<>());
                Map.Entry<Long, Long> before = most.lastEntry();
                if (before == null || before.getValue() < mark.to()) {
                    most.put(commit.span().start(), mark.to());
                }
            }
        }
        return all;
    }

    private static void look(
            Operation poll, Set<String> reading, Map<Place, NavigableMap<Long, Long>> committed, List<Anomaly> found) {
        for (Entry entry : poll.entries()) {
            if (!reading.add(entry.key())) {
                continue;
            }
            Map.Entry<Long, Long> last = committed
                    .getOrDefault(new Place(poll.group(), entry.key()), new TreeMap<>())
                    .floorEntry(poll.span().end());
            long most = last == null ? 0 : last.getValue();
            if (entry.offset() > most) {
                found.add(new Anomaly(
                        "process %d took over %s at %d, and the group %s had committed up to %d only"
                                .formatted(poll.process(), entry.key(), entry.offset(), poll.group(), most),
                        List.of(poll)));
            }
        }
    }
}
