// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.Medians;
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
    /** What auto may do worse. */
    private static final double WITHIN = 0.05;

    private static final int P99 = 99;

    /** Each change that matters once: to more workers, from some that are held up, and back. */
    private static final List<StoreKind> CHANGES = List.of(
            StoreKind.HDFS, StoreKind.LOCAL, StoreKind.HELD_UP, StoreKind.HDFS, StoreKind.HELD_UP, StoreKind.LOCAL);

    private final CommandContext context;
    private final Pinning pinning;
    private final AutoCapacitySettings settings;
    private final RunReport report;
    private final List<TunedServer> servers = new ArrayList<>(); // auto first

    AutoCapacityRun(CommandContext context, Pinning pinning, AutoCapacitySettings settings) throws IOException {
        this.context = context;
        this.pinning = pinning;
        this.settings = settings;
        report = RunReport.begin(context, "capacity-auto", settings.shown(pinning, TunedServer.JVM));
    }

    /** Auto and the best fixed number, measured in turn. */
    private record Pairs(TunedServer best, List<Measure> auto, List<Measure> fixed) {
        double ratio(ToDoubleFunction<Measure> figure) {
            return Medians.of(IntStream.range(0, auto.size())
                    .mapToDouble(i -> figure.applyAsDouble(auto.get(i)) / figure.applyAsDouble(fixed.get(i))));
        }
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
        Map<TunedServer, List<Double>> found = new HashMap<>();
        for (int round = 1; round <= settings.roundsOfBest(); round++) {
            for (TunedServer each : fixed) {
                found.computeIfAbsent(each, none -> new ArrayList<>())
                        .add(measured("one of " + kind.label(), kind, each, round)
                                .perSecond());
            }
        }
        TunedServer best = Collections.max(
                fixed,
                Comparator.comparingDouble(each ->
                        Medians.of(found.getOrDefault(each, List.of()).stream().mapToDouble(Double::doubleValue))));
        var unused =
                shown(servers.get(0).measure("first of " + kind.label(), 1, settings.changing(), settings.measured()));
        claim(kind.label(), alternately(kind.label(), kind, best, settings.pairs()));
        return best;
    }

    /** Auto and a fixed number in turn, for so short a time each that what else a machine does hits both. */
    private Pairs alternately(String name, StoreKind kind, TunedServer best, int count) throws IOException {
        Pairs pairs = new Pairs(best, new ArrayList<>(), new ArrayList<>());
        for (int round = 1; round <= count; round++) {
            if (round % 2 == 1) { // so that none always comes second
                pairs.auto.add(measured(name, kind, servers.get(0), round));
            }
            pairs.fixed.add(measured(name, kind, best, round));
            if (round % 2 == 0) {
                pairs.auto.add(measured(name, kind, servers.get(0), round));
            }
        }
        report.write();
        return pairs;
    }

    private Measure measured(String name, StoreKind kind, TunedServer server, int round) throws IOException {
        return shown(
                server.measure(name + " " + server.workers(), round, settings.settling(kind), settings.measured()));
    }

    private void change(Map<StoreKind, TunedServer> best) throws IOException {
        TunedServer auto = servers.get(0);
        StoreKind from = StoreKind.LOCAL; // the last change's
        auto.become(from);
        for (StoreKind to : CHANGES) {
            String name = from.label() + " to " + to.label();
            var unused = shown(auto.measureChange("change of " + name, 1, to, settings));
            TunedServer other = Objects.requireNonNull(best.get(to));
            other.become(to);
            claim("after " + name, alternately(name, to, other, settings.pairsOfChanges()));
            from = to;
        }
    }

    private Measure shown(Measure measure) throws IOException {
        report.add(measure);
        context.line(String.format(
                Locale.ROOT,
                "%s: %6.0f puts/s, P99 %.1f ms, %.0f workers",
                measure.caseName(),
                measure.perSecond(),
                measure.millisAt(P99),
                measure.figures().getOrDefault("workers", Double.NaN)));
        return measure;
    }

    /** Medians of the ratios within each pair. */
    private void claim(String what, Pairs pairs) {
        String name = what + ", auto : " + pairs.best.workers();
        report.add(Claim.atLeast(name + ", puts a second", "", pairs.ratio(Measure::perSecond), 1 - WITHIN));
        report.add(Claim.atMost(name + ", P99", "", pairs.ratio(measure -> measure.millisAt(P99)), 1 + WITHIN));
    }
}
