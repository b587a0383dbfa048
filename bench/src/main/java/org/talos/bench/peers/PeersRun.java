// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * Measures one case under one load: starts its server and its client, each a process, and ends both.
 *
 * <p>Confined: the main thread.
 */
final class PeersRun {
    private final PeersSettings settings;
    private final Path reports;

    PeersRun(PeersSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    /**
     * Measures.
     *
     * @param perSecond puts that are due; 0 for the next as soon as the last was acknowledged
     * @throws IOException server or client did not start, or could not be measured
     */
    PeersFigures measure(PeerCase what, Shape shape, double perSecond, int round)
            throws IOException, InterruptedException {
        String name = String.format(Locale.ROOT, "%s-%s-%d", what.label().replace(' ', '-'), shape.label(), round);
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
                    program(what.product(), load, server, settings.tuning()),
                    server.pid(),
                    settings.longestWarmUp(),
                    reports.resolve(name + "-client.log"));
            return new PeersFigures(what, shape, round, outcome);
        }
    }

    private static List<String> program(
            Product product, SynchronousSettings load, PeerServer server, PeersSettings.Tuning tuning) {
        List<String> program = new ArrayList<>();
        program.add(mainClass(product));
        program.addAll(load.arguments());
        if (product == Product.TALOS) {
            program.add(server.folder().resolve("admin.credentials").toString());
            program.add(tuning.streamedPuts() ? TalosPeer.STREAMS : "calls");
            program.add(tuning.streamedGets() ? TalosPeer.STREAMS : "calls");
        }
        if (product == Product.KAFKA) {
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
}
