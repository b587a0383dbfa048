// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.WarmUp;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/** Measures the points of one curve on one server, one after another. Confined: the main thread. */
final class ScaleRun {
    private static final Duration LONGEST_TOUR = Duration.ofMinutes(5);

    private final Curve curve;
    private final int round;
    private final ScaleSettings settings;
    private final MeasuredServer server;
    private final Found found;
    private final ScaleTopics topics;

    /** Is given each point when it has been measured. */
    interface Found {
        void point(ScalePoint point) throws IOException;
    }

    ScaleRun(Curve curve, int round, ScaleSettings settings, MeasuredServer server, Found found) {
        this.curve = curve;
        this.round = round;
        this.settings = settings;
        this.server = server;
        this.found = found;
        topics = new ScaleTopics(server, "scale");
    }

    /** Measures a point, after all smaller ones where the curve goes one way only. */
    void measure(long point) throws IOException, TalosClientException, CommandException {
        int number = Math.toIntExact(point);
        switch (curve) {
            case PARTITIONS -> puts(point, number, settings.producers(), settings.size());
            case PRODUCERS -> puts(point, settings.partitions(), number, settings.size());
            case SIZE -> puts(point, ScaleSettings.PRODUCERS_BY_SIZE, ScaleSettings.PRODUCERS_BY_SIZE, number);
            case KEPT -> puts(point, settings.partitions(), settings.producers(), settings.size());
        }
    }

    private void puts(long point, int partitions, int producers, int size)
            throws IOException, TalosClientException, CommandException {
        topics.grow(partitions);
        List<InTurn> puts = topics.producers(producers, size);
        ScaleWindow window = new ScaleWindow(server);
        LoadResult result = run(ScalePoint.PUT, puts, window, everywhere(puts));
        add(point, ScalePoint.PUT, result, window.figures(ScalePoint.PUT, result, size));
    }

    /** Reports an operation. */
    void add(long point, String operation, LoadResult result, SortedMap<String, Double> figures) throws IOException {
        Measure measure = result.measure(curve.caseName(point), round, operation, figures);
        found.point(new ScalePoint(curve, point, measure, result.firstFailure()));
    }

    /** The first put into a partition makes its files, and is no other's like. */
    private static WarmUp everywhere(List<InTurn> sources) {
        return nanos -> sources.stream().allMatch(InTurn::hasBeenEverywhere) || nanos >= LONGEST_TOUR.toNanos();
    }

    /** Runs a load until the compilers are quiet and the rest is warm too, and then for the measured time. */
    LoadResult run(String operation, List<? extends RequestSource> sources, ScaleWindow window, WarmUp rest)
            throws IOException {
        QuietCompiler quiet = QuietCompiler.of(server, settings.timing().longestWarmUp());
        Map<String, LoadResult> results = new PutGetLoad(
                        server.uri(),
                        nanos -> quiet.isOver(nanos) && rest.isOver(nanos),
                        settings.timing().measured())
                .add(operation, sources, 0)
                .run(window);
        return Objects.requireNonNull(results.get(operation));
    }
}
