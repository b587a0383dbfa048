// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.Results;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * Measures each case under each load: starts its server and its client, each a process, and ends both.
 *
 * <p>Confined: the main thread.
 */
final class PeersExperiment implements Experiment<PeersExperiment.Loaded> {
    private static final String WARM_UP = "warm-up s";

    private final PeersSettings settings;
    private final Path reports;
    private final Results results;
    private final List<String> profiles = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    /** @param results of the run, which give the load with a pace its rate */
    PeersExperiment(PeersSettings settings, Path reports, Results results) {
        this.settings = settings;
        this.reports = reports;
        this.results = results;
    }

    /** A case under a load. Immutable. */
    record Loaded(PeerCase what, Shape shape) {}

    @Override
    public List<Loaded> cases(int round) {
        return settings.shapes().stream()
                .flatMap(shape -> settings.cases().stream().map(each -> new Loaded(each, shape)))
                .toList();
    }

    @Override
    public List<Measure> measure(Loaded loaded, int round) throws IOException, InterruptedException {
        PeerCase what = loaded.what;
        Shape shape = loaded.shape;
        double perSecond = pace(loaded, round);
        String name = format("%s-%s-%d", what.fileName(), shape.label(), round);
        try (PeerServer server = PeerServer.start(what, settings, reports.resolve(name + "-server.log"))) {
            SynchronousSettings load = new SynchronousSettings(
                    server.address(),
                    server.pid(),
                    server.folder().toString(),
                    settings.partitions(),
                    shape.putters(settings),
                    shape.getters(settings),
                    shape.size(settings),
                    perSecond,
                    settings.measured());
            LoadProcess.Outcome outcome = LoadProcess.run(
                    settings.places().classPath(what.product()),
                    program(what, load, server, settings.tuning()),
                    server.pid(),
                    settings.longestWarmUp(),
                    reports.resolve(name + "-client.log"));
            PeersFigures figures = new PeersFigures(what, shape, round, outcome);
            profiles.addAll(figures.profile());
            Files.write(reports.resolve("threads.txt"), profiles);
            figures.wrong().ifPresent(wrong::add);
            return figures.measures();
        }
    }

    /** Puts a second that are due; 0 for the next as soon as the last was acknowledged. */
    private double pace(Loaded loaded, int round) throws IOException {
        if (loaded.shape != Shape.PACED) {
            return 0;
        }
        double pace = settings.rate()
                .orElseGet(() -> new PeersResults(results, settings).pace(loaded.what.isSynced(), round));
        if (Double.isNaN(pace)) {
            throw new IOException(
                    "nothing was put under the load " + Shape.MANY.label() + ", whose rate sets the pace");
        }
        return pace;
    }

    @Override
    public String line(Loaded loaded, List<Measure> measured) {
        Measure puts = measured.get(0);
        return format(
                "%-7s %-25s %8.0f puts/s, P99 %.1f ms, warmed up for %.0f s",
                loaded.shape.label(), loaded.what.label(), puts.perSecond(), puts.millisAt(99), puts.figure(WARM_UP));
    }

    @Override
    public List<Claim> claims(Results all) {
        return new PeersClaims(all, new PeersResults(all, settings).shapes()).all();
    }

    @Override
    public void draw(Results all, RunReport report) {
        new PeersCharts(all, settings).draw(report);
    }

    @Override
    public List<String> tables(Results all, RunReport report) {
        return new PeersResults(all, settings).tables();
    }

    @Override
    public List<String> wrong(Results results) {
        return wrong;
    }

    private static List<String> program(
            PeerCase what, SynchronousSettings load, PeerServer server, PeersSettings.Tuning tuning) {
        List<String> program = new ArrayList<>();
        program.add(what.clients() == Clients.LEAN ? leanClass(what.product()) : mainClass(what.product()));
        program.addAll(load.arguments());
        if (what.product() == Product.TALOS) {
            program.add(server.folder().resolve("admin.credentials").toString());
        }
        if (what == PeerCase.FLUSH || what == PeerCase.FSYNC) {
            program.add(tuning.streamedPuts() ? TalosPeer.STREAMS : "calls");
            program.add(tuning.streamedGets() ? TalosPeer.STREAMS : "calls");
        }
        if (what == PeerCase.KAFKA || what == PeerCase.KAFKA_SYNCED) {
            tuning.producers().forEach((key, value) -> program.add(key + "=" + value));
        }
        return program;
    }

    /** Names, as nothing of theirs can be loaded here. */
    private static String mainClass(Product product) {
        return switch (product) {
            case TALOS -> TalosPeer.class.getName();
            case KAFKA -> "org.talos.bench.kafka.KafkaPeer";
            case ROCKETMQ -> "org.talos.bench.rocketmq.RocketMqPeer";
            case NATS -> "org.talos.bench.nats.NatsPeer";
        };
    }

    private static String leanClass(Product product) {
        return switch (product) {
            case TALOS -> LeanTalosPeer.class.getName();
            case KAFKA -> "org.talos.bench.kafka.LeanKafkaPeer";
            case ROCKETMQ -> "org.talos.bench.rocketmq.LeanRocketMqPeer";
            case NATS -> throw new IllegalArgumentException("no lean client: " + product);
        };
    }
}
