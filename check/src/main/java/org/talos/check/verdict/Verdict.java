// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.check.history.Kind;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;

/** The results of all checks of one history. Immutable. */
public final class Verdict {
    private static final int SHOWN_ANOMALIES = 5;
    private static final int SHOWN_OPERATIONS = 8;
    private static final double NANOS = 1e9;

    /** The result of one check. Immutable. */
    record Result(Check check, List<Anomaly> anomalies) {}

    private final Facts facts;
    private final List<Result> results;

    private Verdict(Facts facts, List<Result> results) {
        this.facts = facts;
        this.results = results;
    }

    /** Runs all checks. */
    public static Verdict of(List<Operation> history) {
        Facts facts = new Facts(history);
        return new Verdict(
                facts,
                Check.all().stream()
                        .map(check -> new Result(check, check.anomalies().apply(facts)))
                        .toList());
    }

    /** Returns whether no check found an anomaly. */
    public boolean clean() {
        return results.stream().allMatch(each -> each.anomalies().isEmpty());
    }

    /** The names of the checks that found anomalies. */
    public List<String> failed() {
        return results.stream()
                .filter(each -> !each.anomalies().isEmpty())
                .map(each -> each.check().name())
                .toList();
    }

    /** The verdict as text: what was done, then a line for each check, and below it its anomalies. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(counts());
        for (Result each : results) {
            boolean fine = each.anomalies().isEmpty();
            lines.add(String.format(
                    Locale.ROOT,
                    "%-4s %-24s %s",
                    fine ? "ok" : "FAIL",
                    each.check().name(),
                    fine
                            ? each.check().promise()
                            : each.anomalies().size() + " times: "
                                    + each.check().promise()));
            each.anomalies().stream().limit(SHOWN_ANOMALIES).forEach(anomaly -> {
                lines.add("       " + anomaly.what());
                anomaly.operations().stream()
                        .limit(SHOWN_OPERATIONS)
                        .forEach(operation -> lines.add("         " + operation.shown()));
            });
        }
        return lines;
    }

    private List<String> deletions() {
        FaultTimes faults = new FaultTimes(facts);
        List<Operation> all =
                facts.operations(Kind.DELETE).stream().filter(Operation::ok).toList();
        long under = all.stream()
                .filter(each -> faults.touches(each.span().start(), each.span().end()))
                .count();
        return List.of(String.format(
                Locale.ROOT,
                "topics deleted: %d, of these under a fault: %d; latest answer from one: %.3f s after, faults included",
                all.size(),
                under,
                DeletionChecks.latestNanos(facts) / NANOS));
    }

    private String growth() {
        long added = facts.operations(Kind.CREATE).stream()
                .filter(each ->
                        each.marks().stream().noneMatch(mark -> mark.key().endsWith("/0")))
                .count();
        return String.format(
                Locale.ROOT,
                "partitions added to topics in use: %d; groups at latest: %d",
                added,
                facts.operations(Kind.LATEST).size());
    }

    private List<String> faults() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-48s %9s", "FAULTS", "times"));
        new FaultTimes(facts)
                .kinds()
                .forEach((kind, times) -> lines.add(String.format(Locale.ROOT, "%-48s %9d", kind, times)));
        return lines;
    }

    private List<String> counts() {
        Map<Kind, Map<Outcome, Long>> counts = new EnumMap<>(Kind.class);
        for (Operation each : facts.operations()) {
            counts.computeIfAbsent(each.kind(), kind -> new EnumMap<>(Outcome.class))
                    .merge(each.outcome(), 1L, Long::sum);
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-12s %9s %9s %9s", "OPERATIONS", "ok", "fail", "unknown"));
        counts.forEach((kind, by) -> lines.add(String.format(
                Locale.ROOT,
                "%-12s %9d %9d %9d",
                kind,
                by.getOrDefault(Outcome.OK, 0L),
                by.getOrDefault(Outcome.FAIL, 0L),
                by.getOrDefault(Outcome.INFO, 0L))));
        lines.add(String.format(
                Locale.ROOT,
                "oldest 'nothing yet': %.3f s late, faults included; given to a group again: %d",
                StaleCheck.worstNanos(facts) / NANOS,
                GroupChecks.again(facts)));
        lines.addAll(deletions());
        lines.add(growth());
        lines.addAll(UseChecks.lines(facts));
        lines.addAll(faults());
        return lines;
    }
}
