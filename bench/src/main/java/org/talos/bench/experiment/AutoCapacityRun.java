// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/**
 * Compares workers that are {@code auto} with fixed numbers: servers side by side, under load one after another, in
 * turn; on each kind of store, and through changes from one to another while requests are in flight. The best fixed
 * number is that with the most puts a second, the median of a few measures of each.
 *
 * <p>Confined: the main thread.
 */
final class AutoCapacityRun {
    /** The part by which auto may be worse. */
    private static final double WITHIN = 0.05;

    private static final Figure RATE = Results.figure("put", Measure::perSecond);
    private static final Figure P99 = Results.figure("put", puts -> puts.millisAt(99));

    /** Each change that matters once: to more workers, from some that are held up, and back. */
    private static final List<StoreKind> CHANGES = List.of(
            StoreKind.HDFS, StoreKind.LOCAL, StoreKind.HELD_UP, StoreKind.HDFS, StoreKind.HELD_UP, StoreKind.LOCAL);

    private final CommandContext context;
    private final Pinning pinning;
    private final AutoCapacitySettings settings;
    private final RunReport report;
    private final Results results = new Results();
    private final List<TunedServer> servers = new ArrayList<>(); // auto first

    AutoCapacityRun(CommandContext context, Pinning pinning, AutoCapacitySettings settings) throws IOException {
        this.context = context;
        this.pinning = pinning;
        this.settings = settings;
        report = RunReport.begin(context, "capacity-auto", settings.shown(pinning, TunedServer.JVM));
    }

    /** Measures, writes the report and shows it; returns the exit code. */
    int run() throws IOException, CommandException, TalosClientException {
        try {
            start();
            Map<StoreKind, TunedServer> best = new EnumMap<>(StoreKind.class);
            for (StoreKind kind : StoreKind.values()) {
                best.put(kind, compare(kind));
            }
            change(best);
        } finally {
            pinning.release();
            for (TunedServer each : servers) {
                each.close();
            }
        }
        return report.finish(report.table(), List.of());
    }

    private void start() throws IOException, CommandException, TalosClientException {
        Path work = RunFolder.work(context.home());
        List<String> numbers = new ArrayList<>(List.of(TunedServer.AUTO));
        settings.fixed().forEach(number -> numbers.add(Integer.toString(number)));
        for (String number : numbers) {
            servers.add(TunedServer.start(number, pinning, work, report.folder()));
        }
        pinning.pinLoad();
        for (TunedServer each : servers) {
            var unused = each.warmUp(settings.longestWarmUp(), settings.measured());
        }
    }

    /**
     * Returns the server with the best fixed number. What found it says nothing about it: the best of several equal
     * ones is the luckiest. It is measured again, beside auto.
     */
    private TunedServer compare(StoreKind kind) throws IOException {
        servers.forEach(server -> server.become(kind));
        List<TunedServer> fixed = servers.subList(1, servers.size());
        String name = "one of " + kind.label();
        for (int round = 1; round <= settings.roundsOfBest(); round++) {
            for (TunedServer each : fixed) {
                measured(name, kind, each, round);
            }
        }
        TunedServer best = Collections.max(
                fixed, Comparator.comparingDouble(each -> results.median(name + " " + each.workers(), RATE)));
        shown(servers.get(0)
                .measure("first of " + kind.label(), 1, settings.settling().changing(), settings.measured()));
        alternately(kind.label(), kind, best, settings.pairs());
        claim(kind.label(), kind.label(), best);
        return best;
    }

    /** Auto and a fixed number in turn, for so short a time each that what else a machine does hits both. */
    private void alternately(String name, StoreKind kind, TunedServer best, int count) throws IOException {
        TunedServer auto = servers.get(0);
        for (int round = 1; round <= count; round++) {
            for (TunedServer each : round % 2 == 1 ? List.of(auto, best) : List.of(best, auto)) {
                measured(name, kind, each, round); // so that none always comes second
            }
        }
        report.write();
    }

    private void measured(String name, StoreKind kind, TunedServer server, int round) throws IOException {
        shown(server.measure(name + " " + server.workers(), round, settings.settling(kind), settings.measured()));
    }

    private void change(Map<StoreKind, TunedServer> best) throws IOException {
        TunedServer auto = servers.get(0);
        StoreKind from = StoreKind.LOCAL; // the last change's
        auto.become(from);
        for (StoreKind to : CHANGES) {
            String name = from.label() + " to " + to.label();
            shown(auto.measureChange("change of " + name, 1, to, settings));
            TunedServer other = Objects.requireNonNull(best.get(to));
            other.become(to);
            alternately(name, to, other, settings.pairsOfChanges());
            claim("after " + name, name, other);
            from = to;
        }
    }

    private void shown(Measure measure) throws IOException {
        results.add(measure);
        report.add(measure);
        context.line(format(
                "%s: %6.0f puts/s, P99 %.1f ms, %.0f workers",
                measure.caseName(), measure.perSecond(), measure.millisAt(99), measure.figure("workers")));
    }

    /** Medians of the ratios within each pair. */
    private void claim(String what, String caseName, TunedServer best) {
        String text = what + ", auto : " + best.workers();
        String auto = caseName + " " + TunedServer.AUTO;
        String fixed = caseName + " " + best.workers();
        report.add(Claim.atLeast(text + ", puts a second", "", results.ratio(auto, fixed, RATE), 1 - WITHIN));
        report.add(Claim.atMost(text + ", P99", "", results.ratio(auto, fixed, P99), 1 + WITHIN));
    }
}
