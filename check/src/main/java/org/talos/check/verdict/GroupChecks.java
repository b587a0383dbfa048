// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/**
 * Checks that groups are given every value, and that their committed offsets are those that they committed. Immutable.
 */
final class GroupChecks {
    private GroupChecks() {}

    /** Finds values that did not reach a group that begins at the start. */
    static List<Anomaly> missing(Facts facts) {
        return missing(facts, false);
    }

    /** Finds values that did not reach a group at latest, though they were put after its first fetch. */
    static List<Anomaly> missingAtLatest(Facts facts) {
        return missing(facts, true);
    }

    private static List<Anomaly> missing(Facts facts, boolean latest) {
        LatestGroups groups = new LatestGroups(facts);
        Map<String, Set<String>> given = new HashMap<>();
        for (Operation poll : facts.operations(Kind.POLL)) {
            poll.entries()
                    .forEach(entry -> given.computeIfAbsent(poll.group(), group -> new HashSet<>())
                            .add(entry.value()));
        }
        List<Anomaly> found = new ArrayList<>();
        for (Operation drain : facts.operations(Kind.DRAIN)) {
            if (drain.group().isEmpty() || groups.contains(drain.group()) != latest) {
                continue;
            }
            Set<String> keys =
                    new HashSet<>(drain.marks().stream().map(Mark::key).toList());
            Set<String> seen = given.getOrDefault(drain.group(), Set.of());
            for (Sent each : facts.sent()) {
                if (keys.contains(each.key())
                        && isStored(facts, each)
                        && groups.isDue(drain.group(), each)
                        && !seen.contains(each.value())) {
                    found.add(new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "value %s of %s never reached the group %s",
                                    each.value(),
                                    each.key(),
                                    drain.group()),
                            Anomalies.join(each.operations(), drain)));
                }
            }
        }
        return found;
    }

    private static boolean isStored(Facts facts, Sent value) {
        return value.acknowledged() || facts.wasRead(value.value());
    }

    /** Counts the values that a group was given more than once, which is allowed when a member or a server failed. */
    static long again(Facts facts) {
        Map<String, Set<String>> given = new HashMap<>();
        long again = 0;
        for (Operation poll : facts.operations(Kind.POLL)) {
            if (!poll.group().isEmpty()) {
                Set<String> before = given.computeIfAbsent(poll.group(), group -> new HashSet<>());
                again += poll.entries().stream()
                        .filter(entry -> !before.add(entry.value()))
                        .count();
            }
        }
        return again;
    }

    /** A partition as read by a consumer group. Immutable. */
    private record GroupPartition(String group, String key) {}

    /** A committed offset, with the operation that reported it. Immutable. */
    private record Known(long offset, Operation operation) {}

    static List<Anomaly> backwards(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        Map<GroupPartition, Known> most = new HashMap<>();
        List<Operation> ended = commits(facts).stream()
                .sorted(Comparator.comparingLong((Operation each) -> each.span().end()))
                .toList();
        int next = 0;
        for (Operation query : facts.operations(Kind.COMMITTED)) {
            for (; next < ended.size() && ended.get(next).before(query); next++) {
                remember(ended.get(next), most);
            }
            for (Mark mark : query.ok() ? query.marks() : List.<Mark>of()) {
                Known known = most.get(new GroupPartition(query.group(), mark.key()));
                if (known != null && known.offset() > mark.to()) {
                    found.add(new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "the group %s is at %d of %s, after it had committed %d",
                                    query.group(),
                                    mark.to(),
                                    mark.key(),
                                    known.offset()),
                            List.of(known.operation(), query)));
                }
            }
        }
        return found;
    }

    private static List<Operation> commits(Facts facts) {
        return facts.operations().stream()
                .filter(each -> each.ok() && (each.kind() == Kind.COMMIT || each.kind() == Kind.COMMITTED))
                .toList();
    }

    private static void remember(Operation commit, Map<GroupPartition, Known> most) {
        for (Mark mark : commit.marks()) {
            most.merge(
                    new GroupPartition(commit.group(), mark.key()),
                    new Known(mark.to(), commit),
                    (one, other) -> one.offset() >= other.offset() ? one : other);
        }
    }

    static List<Anomaly> beyond(Facts facts) {
        LatestGroups groups = new LatestGroups(facts);
        Map<GroupPartition, Long> given = new HashMap<>();
        List<Anomaly> found = new ArrayList<>();
        for (Operation each : facts.operations()) {
            if (each.kind() == Kind.POLL) {
                for (Entry entry : each.entries()) {
                    given.merge(new GroupPartition(each.group(), entry.key()), entry.offset() + 1, Math::max);
                }
            }
        }
        for (Operation each : commits(facts)) {
            for (Mark mark : each.marks()) {
                long most = Math.max(
                        given.getOrDefault(new GroupPartition(each.group(), mark.key()), 0L),
                        groups.highestBegin(each.group(), mark.key()));
                if (mark.to() > most) {
                    found.add(new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "the group %s is at %d of %s and was given messages up to %d only",
                                    each.group(),
                                    mark.to(),
                                    mark.key(),
                                    most),
                            List.of(each)));
                }
            }
        }
        return found;
    }
}
