// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import static org.talos.bench.report.Text.format;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.LoadJvm;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.engine.TopicOwner;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.Main;

/**
 * Measures the good user's puts alone, then beside each neighbor in turn, on one server. The case without a neighbor is
 * empty.
 *
 * <p>Confined: the main thread.
 */
final class NeighborsExperiment implements Experiment<Optional<Neighbor>>, AutoCloseable {
    private static final String PUT = "put";
    private static final double MOST_P99_RATIO = 10;

    private final NeighborsSettings settings;
    private final Path reports;
    private final MeasuredServer server;
    private final TopicOwner good;
    private final TopicOwner neighbor;
    private final List<String> wrong = new ArrayList<>();

    private NeighborsExperiment(NeighborsSettings settings, Path reports, MeasuredServer server)
            throws TalosClientException, CommandException {
        this.settings = settings;
        this.reports = reports;
        this.server = server;
        good = TopicOwner.create(server, "good", NeighborsSettings.GOOD_PARTITIONS);
        neighbor = TopicOwner.create(server, "neighbor", NeighborsSettings.NEIGHBORS_PARTITIONS);
    }

    /** Starts the server, and creates both users. */
    static NeighborsExperiment start(NeighborsSettings settings, Path reports)
            throws IOException, TalosClientException, CommandException {
        MeasuredServer server = MeasuredServer.start(
                Main.class,
                NeighborsSettings.SERVER_OPTIONS,
                NeighborsSettings.SERVER,
                settings.work(),
                reports.resolve("server.log"));
        try {
            return new NeighborsExperiment(settings, reports, server);
        } catch (TalosClientException | CommandException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static String label(Optional<Neighbor> neighbor) {
        return neighbor.map(Neighbor::label).orElse("alone");
    }

    @Override
    public List<Optional<Neighbor>> cases(int round) {
        return Stream.concat(
                        Stream.of(Optional.<Neighbor>empty()),
                        settings.neighbors().stream().map(Optional::of))
                .toList();
    }

    @Override
    public List<Measure> measure(Optional<Neighbor> kind, int round) throws IOException {
        SortedMap<String, Double> figures = new TreeMap<>();
        LoadResult puts = kind.isEmpty() ? puts() : beside(kind.get(), figures);
        if (puts.failed() > 0) {
            wrong.add(format(
                    "WRONG %d puts of the good user failed, %s; the first: %s",
                    puts.failed(), label(kind), puts.firstFailure().orElse("")));
        }
        return List.of(puts.measure(label(kind), round, PUT, figures));
    }

    private LoadResult beside(Neighbor kind, SortedMap<String, Double> figures) throws IOException {
        URI uri = server.uri();
        NeighborTarget target = new NeighborTarget(
                uri.getHost(),
                uri.getPort(),
                neighbor.credential().keyId(),
                neighbor.credential().secret(),
                neighbor.topic().name(),
                neighbor.topic().partitions(),
                kind);
        long begin = System.nanoTime();
        Path log = reports.resolve("neighbor.log");
        try (LoadJvm load = LoadJvm.start(NeighborProcess.class, "256m", target, log)) {
            LoadResult puts = puts();
            double seconds = (System.nanoTime() - begin) / 1e9;
            figures.put("neighbor/s", load.end(new TypeReference<Long>() {}) / seconds);
            return puts;
        }
    }

    private LoadResult puts() throws IOException {
        return good.put(server, settings.size(), 1, settings.warmUp(), settings.measured(), settings.rate());
    }

    @Override
    public String line(Optional<Neighbor> kind, List<Measure> measured) {
        Measure puts = measured.get(0);
        return format("%s: %.0f puts/s, P99 %.1f ms", label(kind), puts.perSecond(), puts.millisAt(99));
    }

    @Override
    public List<Claim> claims(Results results) {
        Figure p99 = Results.figure(PUT, each -> each.millisAt(99));
        return settings.neighbors().stream()
                .map(each -> Claim.atMost(
                        "P99 of the good user's puts beside " + each.label() + " : alone",
                        "",
                        results.ratio(each.label(), "alone", p99),
                        MOST_P99_RATIO))
                .toList();
    }

    @Override
    public List<String> wrong(Results results) {
        return wrong;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
