// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
 * Checks that a member which takes over a partition resumes at an offset that the group may have committed: what
 * follows that offset was given to members that have not committed it, and must be given again. Immutable.
 */
final class ResumeCheck {
    private ResumeCheck() {}

    /** A partition as read by a consumer group. Immutable. */
    private record GroupPartition(String group, String key) {}

    static List<Anomaly> skips(Facts facts) {
        LatestGroups groups = new LatestGroups(facts);
        Map<GroupPartition, NavigableMap<Long, Long>> committed = committed(facts);
        List<Anomaly> found = new ArrayList<>();
        facts.byProcess().forEach((process, operations) -> {
            Set<String> reading = new HashSet<>();
            for (Operation each : operations) {
                switch (each.kind()) {
                    case ASSIGN, SUBSCRIBE, CRASH -> reading.clear();
                    case POLL -> {
                        if (!each.group().isEmpty()) {
                            checkResume(each, reading, committed, groups, found);
                        }
                    }
                    default -> {
                        // Delivers no message.
                    }
                }
            }
        });
        return found;
    }

    /** Returns the highest offset that the group may have committed by the start of each commit. */
    private static Map<GroupPartition, NavigableMap<Long, Long>> committed(Facts facts) {
        Map<GroupPartition, NavigableMap<Long, Long>> all = new HashMap<>();
        for (Operation commit : facts.operations(Kind.COMMIT)) {
            if (commit.outcome() == Outcome.FAIL) {
                continue;
            }
            for (Mark mark : commit.marks()) {
                NavigableMap<Long, Long> most = all.computeIfAbsent(
                        new GroupPartition(commit.group(), mark.key()), partition -> new TreeMap<>());
                Map.Entry<Long, Long> before = most.lastEntry();
                if (before == null || before.getValue() < mark.to()) {
                    most.put(commit.span().start(), mark.to());
                }
            }
        }
        return all;
    }

    private static void checkResume(
            Operation poll,
            Set<String> reading,
            Map<GroupPartition, NavigableMap<Long, Long>> committed,
            LatestGroups groups,
            List<Anomaly> found) {
        for (Entry entry : poll.entries()) {
            if (!reading.add(entry.key())) {
                continue;
            }
            Map.Entry<Long, Long> last = committed
                    .getOrDefault(new GroupPartition(poll.group(), entry.key()), new TreeMap<>())
                    .floorEntry(poll.span().end());
            long most = Math.max(last == null ? 0 : last.getValue(), groups.highestBegin(poll.group(), entry.key()));
            if (entry.offset() > most) {
                found.add(new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "process %d took over %s at %d, and the group %s had begun or committed at %d at most",
                                poll.process(),
                                entry.key(),
                                entry.offset(),
                                poll.group(),
                                most),
                        List.of(poll)));
            }
        }
    }
}
