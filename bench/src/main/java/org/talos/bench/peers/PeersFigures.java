// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.report.Measure;
import org.talos.bench.synchronous.LoadCounts;
import org.talos.bench.synchronous.LoadMemory;
import org.talos.bench.synchronous.LoadThreads;

/** The figures of one case under one load in one round. Immutable, but for the histograms. */
record PeersFigures(PeerCase what, Shape shape, int round, LoadProcess.Outcome outcome) {
    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double KIB_PER_MIB = 1_024;
    private static final double MILLIS = 1e3;
    private static final double LEAST_OF_PROFILE = 100; // a hundredth of a process

    double putsPerSecond() {
        return perSecond(outcome.puts());
    }

    /** Messages that were got; NaN where nobody gets any. */
    double getsPerSecond() {
        return shape.hasGetters() ? perSecond(outcome.gets()) : Double.NaN;
    }

    /** Messages put and messages got. */
    double requestsPerSecond() {
        return perSecond(outcome.puts()) + perSecond(outcome.gets());
    }

    private static double perSecond(LoadPhase phase) {
        return phase.latency().getTotalCount() / seconds(phase.took());
    }

    double putMeanMillis() {
        return outcome.puts().latency().getMean() / NANOS_PER_MILLI;
    }

    double putMillisAt(double percentile) {
        return outcome.puts().latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** From the put; NaN where nobody gets any. */
    double gotMeanMillis() {
        return shape.hasGetters() ? outcome.gets().latency().getMean() / NANOS_PER_MILLI : Double.NaN;
    }

    double gotMillisAt(double percentile) {
        return shape.hasGetters()
                ? outcome.gets().latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI
                : Double.NaN;
    }

    /** Processor seconds of the server for 1,000 messages put or got. */
    double serverCpuPerThousand() {
        return perThousand(outcome.puts().serverCpu());
    }

    /** The same of the client. */
    double clientCpuPerThousand() {
        return perThousand(outcome.puts().clientCpu());
    }

    /** Of both. */
    double cpuPerThousand() {
        return serverCpuPerThousand() + clientCpuPerThousand();
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
                .map(each -> String.format(
                        Locale.ROOT,
                        "%s, %s, round %d, %s, ms for 1,000 messages:%s",
                        shape.label(),
                        what.label(),
                        round,
                        each.process(),
                        profile(each)))
                .toList();
    }

    private String profile(LoadThreads threads) {
        double least =
                threads.seconds().values().stream().mapToDouble(used -> used).sum() / LEAST_OF_PROFILE;
        return threads.seconds().entrySet().stream()
                .filter(each -> each.getValue() >= least)
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .map(each -> String.format(
                        Locale.ROOT, " %s %.1f", each.getKey(), each.getValue() * MILLIS * 1_000 / requests()))
                .collect(Collectors.joining(","));
    }

    /** Memory of the server's own, without pages of files; NaN if that is not known. */
    double serverOwnMib() {
        LoadMemory memory = outcome.memory();
        return memory.serverKib() < 0 ? Double.NaN : (memory.serverKib() - memory.serverFileKib()) / KIB_PER_MIB;
    }

    /** Pages of files that the server has mapped. */
    double serverFileMib() {
        return mib(outcome.memory().serverFileKib());
    }

    double clientMib() {
        return mib(outcome.memory().clientKib());
    }

    private static double mib(long kib) {
        return kib < 0 ? Double.NaN : kib / KIB_PER_MIB;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS;
    }

    /** Whether something was put, nothing failed, and everything acknowledged is there and was got, once. */
    boolean sound() {
        LoadCounts counts = outcome.counts();
        return outcome.puts().latency().getTotalCount() > 0
                && counts.failed() == 0
                && counts.stored() == counts.acknowledged()
                && counts.received() == (shape.hasGetters() ? counts.acknowledged() : 0);
    }

    /** What is wrong, as a line of text. */
    String wrong() {
        LoadCounts counts = outcome.counts();
        return String.format(
                        Locale.ROOT,
                        "WRONG: %s, %s, round %d: %d acknowledged, %d stored, %d received, %d errors %s",
                        what.label(),
                        shape.label(),
                        round,
                        counts.acknowledged(),
                        counts.stored(),
                        counts.received(),
                        counts.failed(),
                        counts.firstFailure().orElse(""))
                .strip();
    }

    /** For the report: the puts with what all took, and the gets. */
    List<Measure> measures() {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put("server CPU s/1000", serverCpuPerThousand());
        figures.put("client CPU s/1000", clientCpuPerThousand());
        figures.put("server own MiB", serverOwnMib());
        figures.put("server mapped MiB", serverFileMib());
        figures.put("client MiB", clientMib());
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
                what.label() + ", " + shape.label(),
                round,
                phase.operation(),
                phase.latency(),
                seconds(phase.took()),
                succeeded,
                phase.operation().equals(LoadPhase.PUT) ? outcome.counts().failed() : 0,
                figures);
    }
}
