// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.bench.synchronous.SynchronousSettings;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures Talos beside Kafka, RocketMQ and NATS: threads that wait for each put, each through its own client library,
 * alternately in one run.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "peers",
        description =
                "Talos with durability flush and fsync beside Kafka and RocketMQ, each acknowledging from the page"
                        + " cache and synced, and NATS if its server is on the path: a putting and a getting thread for"
                        + " each partition, one putting thread, 16 of 1 KB, and puts that are due at half of the slowest"
                        + " one's rate. Server and client of each are processes of their own; rounds interleave the"
                        + " cases.",
        mixinStandardHelpOptions = true)
public final class PeersCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 256;
    private static final int MOST_SIZE = 1 << 20;

    private final CommandContext context;

    @Option(names = "--short", description = "One round of 10 s, for a quick look: about twenty minutes")
    private boolean brief;

    @Option(names = "--seconds", description = "Measured, each case and load. Default: 30; short: 10")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--warmup",
            description = "Seconds before, at most: it ends when compilers are quiet. Default: 60; short: 30")
    private Optional<Integer> warmUp = Optional.empty();

    @Option(names = "--partitions", description = "And as many threads that put and that get, 1 to 256. Default: 120")
    private int partitions = 120;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--rounds", description = "Of all cases; tables have medians. Default: 3; short: 1")
    private Optional<Integer> rounds = Optional.empty();

    @Option(names = "--cases", split = ",", description = "${COMPLETION-CANDIDATES}. Default: all that are there")
    private List<PeerCase> cases = List.of();

    @Option(names = "--loads", split = ",", description = "${COMPLETION-CANDIDATES}. Default: all")
    private List<Shape> shapes = List.of(Shape.values());

    @Option(names = "--rate", description = "Puts a second of the load paced. Default: half of the slowest one's")
    private Optional<Double> rate = Optional.empty();

    @Option(names = "--data", paramLabel = "DIR", description = "Where the servers keep data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--server-options",
            paramLabel = "OPTIONS",
            description =
                    "JVM of the servers, the same for all. Default: -Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+AlwaysPreTouch")
    private String serverOptions = "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+AlwaysPreTouch";

    @Option(names = "--talos-puts", description = "The SDK's: ${COMPLETION-CANDIDATES}. Default: streams")
    private Way puts = Way.STREAMS;

    @Option(names = "--talos-gets", description = "The SDK's: ${COMPLETION-CANDIDATES}. Default: streams")
    private Way gets = Way.STREAMS;

    @Option(names = "--kafka", paramLabel = "KEY=VALUE", description = "For Kafka's producer: batch.size=65536")
    private Map<String, String> kafkaProducer = new HashMap<>();

    @Option(names = "--kafka-broker", paramLabel = "KEY=VALUE", description = "For its broker: num.io.threads=4")
    private Map<String, String> kafkaBroker = new HashMap<>();

    @Option(
            names = "--rocketmq-broker",
            paramLabel = "KEY=VALUE",
            description = "For RocketMQ's broker: sendMessageThreadPoolNums=16")
    private Map<String, String> rocketMqBroker = new HashMap<>();

    /** The ways in which the SDK reaches the server. */
    private enum Way {
        STREAMS,
        CALLS
    }

    /** Returns the command. */
    public PeersCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, InterruptedException {
        PeersSettings settings = settings();
        RunReport report = RunReport.begin(context, "peers", settings.described());
        PeersRun run = new PeersRun(settings, report.folder());
        List<PeersFigures> figures = new ArrayList<>();
        for (int round = 1; round <= settings.rounds(); round++) {
            for (Shape shape : settings.shapes()) {
                for (PeerCase each : settings.cases()) {
                    PeersFigures one = run.measure(each, shape, pace(shape, each, round, figures, settings), round);
                    figures.add(one);
                    one.measures().forEach(report::add);
                    report.write();
                    Files.write(
                            report.folder().resolve("threads.txt"),
                            figures.stream()
                                    .flatMap(measured -> measured.profile().stream())
                                    .toList());
                    context.line(line(one, settings));
                }
            }
        }
        return finish(report, new PeersResults(figures, settings), settings);
    }

    /** Puts a second that are due; 0 for as many as there can be. */
    private static double pace(
            Shape shape, PeerCase what, int round, List<PeersFigures> figures, PeersSettings settings)
            throws IOException {
        if (shape != Shape.PACED) {
            return 0;
        }
        double pace = settings.rate().orElseGet(() -> new PeersResults(figures, settings).pace(what.isSynced(), round));
        if (Double.isNaN(pace)) {
            throw new IOException(
                    "nothing was put under the load " + Shape.MANY.label() + ", whose rate sets the pace");
        }
        return pace;
    }

    private int finish(RunReport report, PeersResults results, PeersSettings settings) throws IOException {
        List<Claim> claims = new PeersClaims(results).all();
        claims.forEach(report::add);
        new PeersCharts(results, settings).draw(report);
        report.write();
        List<String> lines = new ArrayList<>(results.tables());
        claims.stream().map(Claim::line).forEach(lines::add);
        lines.addAll(results.wrong());
        Files.write(report.folder().resolve("peers.txt"), lines);
        for (String line : lines) {
            context.line(line);
        }
        context.line("report: " + report.folder());
        return results.wrong().isEmpty() ? 0 : 1;
    }

    private static String line(PeersFigures one, PeersSettings settings) {
        return String.format(
                Locale.ROOT,
                "round %d of %d: %-7s %-15s %8.0f puts/s, P99 %.1f ms, warmed up for %.0f s",
                one.round(),
                settings.rounds(),
                one.shape().label(),
                one.what().label(),
                one.putsPerSecond(),
                one.putMillisAt(99),
                one.outcome().warmUpSeconds());
    }

    private PeersSettings settings() throws IOException, CommandException {
        Places places = Places.of(context.home(), context.environment().getOrDefault("PATH", ""));
        if (shapes.contains(Shape.PACED) && !shapes.contains(Shape.MANY) && rate.isEmpty()) {
            throw new CommandException("--loads: paced needs many before it, or --rate");
        }
        return new PeersSettings(
                inRange("partitions", partitions, 1, MOST_PARTITIONS),
                inRange("size", size, SynchronousSettings.LEAST_SIZE, MOST_SIZE),
                Duration.ofSeconds(inRange("warmup", warmUp.orElse(brief ? 30 : 60), 0, 240)),
                Duration.ofSeconds(inRange("seconds", seconds.orElse(brief ? 10 : 30), 1, 3_600)),
                inRange("rounds", rounds.orElse(brief ? 1 : 3), 1, 100),
                cases(places),
                Arrays.stream(Shape.values()).filter(shapes::contains).toList(),
                rate,
                data.orElse(RunFolder.work(context.home())),
                List.of(serverOptions.strip().split(" +")),
                places,
                new PeersSettings.Tuning(
                        puts == Way.STREAMS,
                        gets == Way.STREAMS,
                        Map.of(Product.KAFKA, kafkaBroker, Product.ROCKETMQ, rocketMqBroker),
                        kafkaProducer));
    }

    /** Leaves out missing servers, unless they were asked for. */
    private List<PeerCase> cases(Places places) throws IOException, CommandException {
        for (Product each : Product.values()) {
            Optional<String> missing = places.missing(each);
            if (missing.isPresent()) {
                if (cases.stream().anyMatch(wanted -> wanted.product() == each)) {
                    throw new CommandException(missing.get());
                }
                context.line("left out: " + missing.get());
            }
        }
        return Arrays.stream(PeerCase.values())
                .filter(each -> cases.isEmpty() ? places.missing(each.product()).isEmpty() : cases.contains(each))
                .toList();
    }

    private static int inRange(String name, int given, int least, int most) throws CommandException {
        if (given < least || given > most) {
            throw new CommandException(
                    String.format(Locale.ROOT, "--%s: %d (expected: %d..%d)", name, given, least, most));
        }
        return given;
    }
}
