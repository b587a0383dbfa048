// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.Medians;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClientException;

/**
 * Compares workers that are {@code auto} with fixed numbers: servers side by side, under load one after another, in
 * turn; on each kind of store, and through changes from one to another while requests are in flight. The best fixed
 * number is that with the most puts a second when each was measured once.
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

    private final Surroundings surroundings;
    private final Pinning pinning;
    private final AutoCapacitySettings settings;
    private final RunReport report;
    private final List<TunedServer> servers = new ArrayList<>(); // auto first

    AutoCapacityRun(Surroundings surroundings, Pinning pinning, AutoCapacitySettings settings) throws IOException {
        this.surroundings = surroundings;
        this.pinning = pinning;
        this.settings = settings;
        report = RunReport.begin(surroundings, "capacity-auto", settings.shown(pinning, TunedServer.JVM));
    }

    /** One number of workers on one kind of store: a measure for each round. Immutable. */
    private record Setting(TunedServer server, List<Measure> rounds) {}

    /** Measures, writes the report and shows it. */
    void run() throws IOException, CommandException, TalosClientException {
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
        report.write();
        report.print();
    }

    private void start() throws IOException, CommandException, TalosClientException {
        Path work = RunFolder.work(surroundings.home());
        List<String> numbers = new ArrayList<>(List.of(TunedServer.AUTO));
        settings.fixed().forEach(number -> numbers.add(Integer.toString(number)));
        for (String number : numbers) {
            servers.add(TunedServer.start(number, pinning, work, report.folder()));
        }
        pinning.pinLoad();
        for (TunedServer each : servers) {
            var unused = each.warmUp(settings.longestWarmUp(), settings.settling());
        }
    }

    /**
     * Returns the server with the best fixed number. What found it says nothing about it: the best of several equal
     * ones is the luckiest. It is measured anew, beside auto.
     */
    private TunedServer compare(StoreKind kind) throws IOException {
        servers.forEach(server -> server.become(kind));
        Map<TunedServer, Double> found = new HashMap<>();
        for (TunedServer each : servers.subList(1, servers.size())) {
            found.put(each, measured("one of " + kind.label(), each, 1).perSecond());
        }
        TunedServer best =
                Collections.max(found.entrySet(), Map.Entry.comparingByValue()).getKey();
        Setting fixed = new Setting(best, new ArrayList<>());
        Setting auto = new Setting(servers.get(0), new ArrayList<>());
        for (int round = 1; round <= settings.rounds(); round++) {
            // Each second round the other way: who comes second finds a machine that is warmer, or more tired.
            for (Setting each : round % 2 == 1 ? List.of(auto, fixed) : List.of(fixed, auto)) {
                each.rounds.add(measured(kind.label(), each.server, round));
            }
            report.write();
        }
        claim(kind.label(), auto.rounds, fixed);
        return best;
    }

    private Measure measured(String name, TunedServer server, int round) throws IOException {
        return shown(server.measure(name + " " + server.workers(), round, settings.settling(), settings.measured()));
    }

    private void change(Map<StoreKind, TunedServer> best) throws IOException {
        TunedServer auto = servers.get(0);
        List<Setting> autos = new ArrayList<>();
        List<Setting> fixed = new ArrayList<>();
        for (StoreKind to : CHANGES) {
            autos.add(new Setting(auto, new ArrayList<>()));
            fixed.add(new Setting(Objects.requireNonNull(best.get(to)), new ArrayList<>()));
        }
        for (int round = 1; round <= settings.roundsOfChanges(); round++) {
            StoreKind from = StoreKind.LOCAL; // the last change's
            auto.become(from);
            for (int i = 0; i < CHANGES.size(); i++) {
                StoreKind to = CHANGES.get(i);
                String name = from.label() + " to " + to.label();
                autos.get(i).rounds.add(shown(auto.measureChange(name + " auto", round, to, settings)));
                TunedServer other = fixed.get(i).server;
                other.become(to);
                fixed.get(i).rounds.add(measured(name, other, round));
                from = to;
            }
            report.write();
        }
        StoreKind from = StoreKind.LOCAL;
        for (int i = 0; i < CHANGES.size(); i++) {
            claim("after " + from.label() + " to " + CHANGES.get(i).label(), autos.get(i).rounds, fixed.get(i));
            from = CHANGES.get(i);
        }
    }

    private Measure shown(Measure measure) throws IOException {
        report.add(measure);
        surroundings.line("%s: %6.0f puts/s, P99 %.1f ms, %.0f workers"
                .formatted(
                        measure.caseName(),
                        measure.perSecond(),
                        measure.millisAt(P99),
                        measure.figures().getOrDefault("workers", Double.NaN)));
        return measure;
    }

    /** Medians of the ratios within each round. */
    private void claim(String what, List<Measure> auto, Setting best) {
        String name = what + ", auto : " + best.server.workers();
        List<Integer> rounds = IntStream.range(0, auto.size()).boxed().toList();
        report.add(Claim.atLeast(
                name + ", puts a second",
                "",
                Medians.of(rounds.stream()
                        .mapToDouble(i ->
                                auto.get(i).perSecond() / best.rounds.get(i).perSecond())),
                1 - WITHIN));
        report.add(Claim.atMost(
                name + ", P99",
                "",
                Medians.of(rounds.stream()
                        .mapToDouble(i ->
                                auto.get(i).millisAt(P99) / best.rounds.get(i).millisAt(P99))),
                1 + WITHIN));
    }
}
