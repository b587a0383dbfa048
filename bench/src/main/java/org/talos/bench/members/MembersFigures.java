// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

/**
 * The measured figures. Immutable, but for the histograms.
 *
 * @param idle servers that nobody calls
 * @param version calls that read no row, as many a second as the members' calls
 * @param join the calls of joining
 * @param members the members' calls once all have joined
 * @param wrong members that at the end are missing or hold other partitions than theirs
 */
record MembersFigures(
        MembersSettings settings, Costs idle, Phase version, LoadResult join, Phase members, int wrong, Heap heap) {
    static final String ALL = "all calls";

    private static final int ROUND = 1;
    private static final int DIGITS = 3;
    private static final double MIB = 1 << 20;
    private static final double KIB = 1 << 10;
    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    /** Of the calls that are due, from which on a load has kept its rate. */
    private static final double KEPT_RATE = 0.98;

    /**
     * Live bytes of all servers. Immutable.
     *
     * @param before any member joined
     * @param after all members have joined
     */
    record Heap(long before, long after) {}

    /**
     * A load and its costs. Immutable, but for the histograms.
     *
     * @param results by operation
     */
    record Phase(Map<String, LoadResult> results, Costs costs) {
        Phase {
            results = new TreeMap<>(results);
        }

        double callsPerSecond() {
            return results.values().stream().mapToDouble(LoadResult::perSecond).sum();
        }

        long failed() {
            return results.values().stream().mapToLong(LoadResult::failed).sum();
        }
    }

    List<Measure> measures() {
        List<Measure> measures = new ArrayList<>();
        version.results.forEach(
                (operation, result) -> measures.add(result.measure("compared", ROUND, operation, costs(version))));
        measures.add(join.measure("joining", ROUND, ALL, new TreeMap<>()));
        SortedMap<String, Double> figures = costs(members);
        figures.put("idle processors", idle.processors());
        figures.put("idle row writes/s", idle.rowWrites());
        figures.put("heap MiB before", heap.before / MIB);
        figures.put("heap MiB", heap.after / MIB);
        measures.add(all(figures));
        members.results.forEach(
                (operation, result) -> measures.add(result.measure("members", ROUND, operation, new TreeMap<>())));
        return measures;
    }

    private SortedMap<String, Double> costs(Phase phase) {
        Costs costs = phase.costs;
        return new TreeMap<>(Map.of(
                "processors", costs.processors(),
                "processor us", microsPerCall(phase),
                "row writes/s", costs.rowWrites(),
                "row reads/s", costs.rowReads(),
                "written KiB/s", costs.writtenBytes() / KIB,
                "load processors", costs.loadProcessors()));
    }

    private double microsPerCall(Phase phase) {
        return phase.costs.without(idle).microsPerCall(phase.callsPerSecond());
    }

    /** Returns the members' calls of all kinds as one operation. */
    private Measure all(SortedMap<String, Double> figures) {
        Histogram latency = new Histogram(DIGITS);
        members.results.values().forEach(each -> latency.add(each.latency()));
        double seconds = members.results.values().stream()
                .mapToDouble(each -> each.measuredNanos() / NANOS)
                .max()
                .orElse(Double.NaN);
        long succeeded = members.results.values().stream()
                .mapToLong(LoadResult::succeeded)
                .sum();
        return new Measure("members", ROUND, ALL, latency, seconds, succeeded, members.failed(), figures);
    }

    private long failed() {
        return join.failed() + members.failed();
    }

    List<Claim> claims() {
        double goal =
                (double) MembersSettings.GOAL_MEMBERS / settings.population().size();
        Costs added = members.costs.without(idle);
        return List.of(
                Claim.atMost("calls of members that failed", "", (double) failed(), 0),
                Claim.atMost("members that are missing, or hold other partitions than theirs", "", wrong, 0),
                Claim.atMost(
                        "row writes for 100,000 members", "/s", added.rowWrites() * goal, MembersSettings.GOAL_WRITES),
                Claim.atMost(
                        "processors of all servers for 100,000 members, without those of idle servers",
                        "",
                        added.processors() * goal,
                        MembersSettings.GOAL_PROCESSORS));
    }

    /** Returns the sentences about what was measured, beside the table. */
    List<String> lines() {
        double called = members.callsPerSecond();
        double due = settings.callsPerSecond();
        double micros = microsPerCall(members);
        double http = microsPerCall(version);
        return List.of(
                format(
                        "calls            %.0f of %.0f a second%s",
                        called, due, called < KEPT_RATE * due ? ": the rate was not reached" : ""),
                format(
                        "processors       %.3f with members, %.3f with calls without rows, %.3f idle; the load %.3f",
                        members.costs.processors(),
                        version.costs.processors(),
                        idle.processors(),
                        members.costs.loadProcessors()),
                format(
                        "of a call        %.1f us of processor time: HTTP and signature %.1f, groups %.1f",
                        micros, http, micros - http),
                format(
                        "rows             %.1f writes and %.1f reads a second; idle %.1f and %.1f",
                        members.costs.rowWrites(), members.costs.rowReads(), idle.rowWrites(), idle.rowReads()),
                renewals(),
                format(
                        "heap             %.1f MiB, %.1f before the members joined: %.0f bytes a member",
                        heap.after / MIB,
                        heap.before / MIB,
                        (double) (heap.after - heap.before)
                                / settings.population().size()));
    }

    private String renewals() {
        LoadResult renewals = Objects.requireNonNull(members.results.get(MemberCall.RENEW.method()));
        return format("renewals         P50 %.2f ms, P99 %.2f ms", millisAt(renewals, 50), millisAt(renewals, 99));
    }

    private static double millisAt(LoadResult result, double percentile) {
        return result.latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** Returns what no load may cause: failed calls, and members without their locks. */
    List<String> wrongLines() {
        List<String> lines = new ArrayList<>();
        failed("joining", join, lines);
        members.results.forEach((operation, result) -> failed(operation, result, lines));
        version.results.forEach((operation, result) -> failed(operation, result, lines));
        if (wrong > 0) {
            lines.add(format("WRONG %d members are missing at the end, or hold other partitions than theirs", wrong));
        }
        return lines;
    }

    private static void failed(String what, LoadResult result, List<String> lines) {
        if (result.failed() > 0) {
            lines.add(format(
                    "WRONG %d calls failed, %s; the first: %s",
                    result.failed(), what, result.firstFailure().orElse("")));
        }
    }
}
