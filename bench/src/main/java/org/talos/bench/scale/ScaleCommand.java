// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.Main;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how a server bears growth, a curve for each kind of it. Confined: the main thread. */
@Command(
        name = "scale",
        description = "Puts by the number of partitions, of producers, the bytes of a message and the MB kept (with "
                + "gets of any kept message, and a restart): a curve each, on a server of its own in each round, and "
                + "where it bends. What grows one way only, partitions and what is kept, is measured from small to "
                + "large; the others also from large to small, in each second round.")
public final class ScaleCommand extends ExperimentCommand {
    private static final long MB = 1_000_000;
    /** Journals, what is put beside what is kept, and what a server leaves free. */
    private static final long ROOM = 10_000 * MB;

    private static final long LARGEST_MESSAGE = 16L << 20;
    private static final int MOST_PARTITIONS = 250;
    private static final int MOST = 1_000_000;

    private final List<ScalePoint> points = new ArrayList<>();

    @Option(names = "--curves", split = ",", description = "partitions,producers,size,kept. Default: all")
    private List<Curve> curves = List.of(Curve.values());

    @Option(
            names = "--points",
            split = ",",
            description = "With one curve: its points, instead of the usual ones, such as 1,10,100")
    private List<Long> asked = List.of();

    @Option(names = "--partitions", description = "Where they do not grow, 1 to 250. Default: 100")
    private int partitions = 100;

    @Option(names = "--producers", description = "With one put in flight each, where they do not grow. Default: 100")
    private int producers = 100;

    @Option(names = "--size", description = "Bytes of a message, where that does not grow. Default: 10240")
    private int size = 10_240;

    public ScaleCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("Fewer points, of 4 s each; 4 GB kept at most. Within ten minutes")
                        .seconds("Measured, each point", 20, 4)
                        .warmUp(
                                "Seconds before each point, at most: it ends when the server's compilers are quiet",
                                60,
                                8)
                        .rounds("Curves and table have medians", 3, 1)
                        .data("Where the servers keep data")
                        .set("For the servers, as in the environment: LOG_DURABILITY=flush")
                        .jvm("JVM of the servers", "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException {
        ScaleSettings settings = settings();
        RunReport report = RunReport.begin(context(), "scale", settings.described());
        for (int round = 1; round <= settings.timing().rounds(); round++) {
            for (Curve curve : settings.points().keySet()) {
                measure(curve, round, settings, report);
                new ScaleResults(points).draw(report);
                report.write();
            }
        }
        return report.finish(
                new ScaleResults(points).text(),
                points.stream()
                        .flatMap(each -> each.failure().stream())
                        .map(each -> "FAILED: " + each)
                        .toList());
    }

    private void measure(Curve curve, int round, ScaleSettings settings, RunReport report)
            throws IOException, TalosClientException, CommandException {
        List<Long> order = new ArrayList<>(settings.points().getOrDefault(curve, List.of()));
        if (curve.goesBothWays() && round % 2 == 0) {
            Collections.reverse(order);
        }
        Path log = report.folder().resolve(curve.label() + "-" + round + ".log");
        ServerSetup setup = settings.servers();
        try (MeasuredServer server =
                MeasuredServer.start(Main.class, setup.options(), setup.set(), setup.work(), log)) {
            ScaleRun run = new ScaleRun(curve, round, settings, server, point -> found(point, settings, report));
            KeptData kept = new KeptData(server, settings.partitions());
            for (long point : order) {
                if (curve == Curve.KEPT) {
                    if (!hasRoom(kept.missing(point * MB), point, settings)) {
                        return;
                    }
                    kept.fillTo(point * MB);
                }
                run.measure(point);
                if (curve == Curve.KEPT) {
                    kept.measure(point, run);
                }
            }
        }
    }

    private boolean hasRoom(long bytes, long point, ScaleSettings settings) throws IOException {
        long free = Files.getFileStore(settings.servers().work()).getUsableSpace();
        if (free >= bytes + ROOM) {
            return true;
        }
        line(
                "kept: from %,d MB on left out, as %s has %,d MB left and it needs %,d",
                point, settings.servers().work(), free / MB, (bytes + ROOM) / MB);
        return false;
    }

    private void found(ScalePoint point, ScaleSettings settings, RunReport report) throws IOException {
        points.add(point);
        report.add(point.measure());
        line(
                "round %d of %d: %s, %s: %,.1f a second, %.2f ms",
                point.measure().round(),
                settings.timing().rounds(),
                point.measure().caseName(),
                point.measure().operation(),
                point.measure().perSecond(),
                point.measure().meanMillis());
    }

    private ScaleSettings settings() throws CommandException, IOException {
        SortedMap<Curve, List<Long>> wanted = new TreeMap<>();
        if (!asked.isEmpty() && curves.size() != 1) {
            throw CommandException.usage("--points: are of one curve; name it with --curves");
        }
        for (Curve curve : curves) {
            List<Long> all = asked.isEmpty()
                    ? usual(curve)
                    : asked.stream().sorted().distinct().toList();
            long most = curve == Curve.SIZE ? LARGEST_MESSAGE : MOST;
            for (long each : all) {
                inRange(curve.title(), each, 1, most);
            }
            wanted.put(curve, all);
        }
        return new ScaleSettings(
                wanted,
                inRange("--partitions", partitions, 1, MOST_PARTITIONS),
                inRange("--producers", producers, 1, MOST),
                inRange("--size", size, 1, LARGEST_MESSAGE),
                options().timing(),
                new ServerSetup(
                        Files.createDirectories(work()),
                        options().jvm(),
                        options().set()));
    }

    private List<Long> usual(Curve curve) {
        return options().isBrief() ? curve.fewPoints() : curve.points();
    }
}
