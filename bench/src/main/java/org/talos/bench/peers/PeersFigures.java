// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.talos.bench.report.Text.format;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Measure;
import org.talos.bench.synchronous.LoadCounts;
import org.talos.bench.synchronous.LoadMemory;
import org.talos.bench.synchronous.LoadThreads;

/** The figures of one case under one load in one round. Immutable, but for the histograms. */
record PeersFigures(PeerCase what, Shape shape, int round, LoadProcess.Outcome outcome) {
    private static final double NANOS = 1e9;
    private static final double KIB_PER_MIB = 1_024;
    private static final double MILLIS = 1e3;
    private static final double LEAST_OF_PROFILE = 100; // a hundredth of a process
    private static final String SERVER_CPU_NAME = "server CPU s/1000";
    private static final String CLIENT_CPU_NAME = "client CPU s/1000";

    static final Figure PUTS = ofPuts(Measure::perSecond);
    static final Figure GETS = ofGets(Measure::perSecond);
    /** Messages put and messages got. */
    static final Figure REQUESTS = Results.sum(Measure::perSecond);

    static final Figure SERVER_CPU = ofPuts(each -> each.figure(SERVER_CPU_NAME));
    static final Figure CLIENT_CPU = ofPuts(each -> each.figure(CLIENT_CPU_NAME));
    static final Figure CPU = ofPuts(each -> each.figure(SERVER_CPU_NAME) + each.figure(CLIENT_CPU_NAME));
    /** Memory of the server's own, without pages of files. */
    static final Figure SERVER_MIB = ofPuts(each -> each.figure("server own MiB"));

    static final Figure MAPPED_MIB = ofPuts(each -> each.figure("server mapped MiB"));
    static final Figure CLIENT_MIB = ofPuts(each -> each.figure("client MiB"));

    static Figure ofPuts(ToDoubleFunction<Measure> figure) {
        return Results.figure(LoadPhase.PUT, figure);
    }

    /** A figure of gets, whose latency counts from the put; NaN where nobody gets any. */
    static Figure ofGets(ToDoubleFunction<Measure> figure) {
        return Results.figure(LoadPhase.GET, figure);
    }

    /** The name in the report. */
    static String caseName(PeerCase what, Shape shape) {
        return what.label() + ", " + shape.label();
    }

    private double perThousand(Duration cpu) {
        return seconds(cpu) * 1_000 / requests();
    }

    private long requests() {
        return Math.max(
                1,
                outcome.puts().latency().getTotalCount()
                        + outcome.gets().latency().getTotalCount());
    }

    /** Returns the use of the processor time: a line for each process, with its threads, those first that used most. */
    List<String> profile() {
        return outcome.threads().stream()
                .map(each -> format(
                        "%s, %s, round %d, %s, ms for 1,000 messages:%s",
                        shape.label(), what.label(), round, each.process(), profile(each)))
                .toList();
    }

    private String profile(LoadThreads threads) {
        double least =
                threads.seconds().values().stream().mapToDouble(used -> used).sum() / LEAST_OF_PROFILE;
        return threads.seconds().entrySet().stream()
                .filter(each -> each.getValue() >= least)
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .map(each -> format(" %s %.1f", each.getKey(), each.getValue() * MILLIS * 1_000 / requests()))
                .collect(Collectors.joining(","));
    }

    private static double mib(long kib) {
        return kib < 0 ? Double.NaN : kib / KIB_PER_MIB;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS;
    }

    /** Returns a line for a wrong result: nothing was put, something failed, or was not stored and got once. */
    Optional<String> wrong() {
        LoadCounts counts = outcome.counts();
        boolean sound = outcome.puts().latency().getTotalCount() > 0
                && counts.failed() == 0
                && counts.stored() == counts.acknowledged()
                && counts.received() == (shape.hasGetters() ? counts.acknowledged() : 0);
        return sound
                ? Optional.empty()
                : Optional.of(format(
                                "WRONG: %s, round %d: %d acknowledged, %d stored, %d received, %d errors %s",
                                caseName(what, shape),
                                round,
                                counts.acknowledged(),
                                counts.stored(),
                                counts.received(),
                                counts.failed(),
                                counts.firstFailure().orElse(""))
                        .strip());
    }

    /** For the report: the puts with what all took, and the gets. */
    List<Measure> measures() {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put(SERVER_CPU_NAME, perThousand(outcome.puts().serverCpu()));
        figures.put(CLIENT_CPU_NAME, perThousand(outcome.puts().clientCpu()));
        LoadMemory memory = outcome.memory();
        figures.put(
                "server own MiB",
                memory.serverKib() < 0 ? Double.NaN : mib(memory.serverKib() - memory.serverFileKib()));
        figures.put("server mapped MiB", mib(memory.serverFileKib()));
        figures.put("client MiB", mib(memory.clientKib()));
        figures.put("warm-up s", outcome.warmUpSeconds());
        List<Measure> measures = new ArrayList<>();
        measures.add(measure(outcome.puts(), outcome.counts().acknowledged(), figures));
        if (shape.hasGetters()) {
            measures.add(measure(outcome.gets(), outcome.counts().received(), new TreeMap<>()));
        }
        return measures;
    }

    private Measure measure(LoadPhase phase, long succeeded, SortedMap<String, Double> figures) {
        return new Measure(
                caseName(what, shape),
                round,
                phase.operation(),
                phase.latency(),
                seconds(phase.took()),
                succeeded,
                phase.operation().equals(LoadPhase.PUT) ? outcome.counts().failed() : 0,
                figures);
    }
}
