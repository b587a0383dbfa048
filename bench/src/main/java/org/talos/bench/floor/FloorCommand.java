// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures synchronous producers and consumers that wait for what they put, on the server with either durability and
 * over REST, and on a bare Jetty in the same run, so that they can be compared.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "floor",
        description = "A producer and a consumer for each partition, one request of each in flight: to the server with "
                + "durability flush and fsync, raw and over REST (rest), and to a bare Jetty that answers the same bytes, "
                + "and verifies what it reads too (signed). Each case is a process of its own, warmed up until its "
                + "compilers are quiet; rounds interleave them. With --producers 1: the latency of a put alone.",
        mixinStandardHelpOptions = true)
public final class FloorCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 256;
    private static final List<FloorCase> OF_ONE_PRODUCER =
            List.of(FloorCase.BARE, FloorCase.SIGNED, FloorCase.FLUSH, FloorCase.FSYNC);

    private final CommandContext context;

    @Option(names = "--short", description = "One round of 10 s, for a quick look")
    private boolean brief;

    @Option(names = "--seconds", description = "Measured, each case. Default: 30; short: 10")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--warmup",
            description = "Seconds before, at most: it ends when the server's compilers are quiet. Default: 60")
    private int warmUp = 60;

    @Option(names = "--partitions", description = "1 to 256. Default: 120")
    private int partitions = 120;

    @Option(
            names = "--producers",
            description = "Puts in flight, each to a partition of its own. Default: as many as partitions")
    private Optional<Integer> producers = Optional.empty();

    @Option(
            names = "--consumers",
            description = "Gets in flight, each of a partition of its own. Default: as many as producers; 0 with one")
    private Optional<Integer> consumers = Optional.empty();

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 3; short: 1")
    private Optional<Integer> rounds = Optional.empty();

    @Option(
            names = "--cases",
            split = ",",
            description = "Default: bare,signed,flush,fsync,rest; with one producer all but rest")
    private List<FloorCase> cases = List.of();

    @Option(
            names = "--threads",
            description = "Of Jetty, selectors included, in all cases. Default: http.workers of the server")
    private Optional<Integer> threads = Optional.empty();

    @Option(names = "--data", paramLabel = "DIR", description = "Where the servers keep data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--server-options",
            paramLabel = "OPTIONS",
            description =
                    "JVM of the servers, in all cases. Default: -Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+AlwaysPreTouch")
    private String serverOptions = "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+AlwaysPreTouch";

    @Option(names = "--seed", description = "Seed of the messages. Default: 1")
    private long seed = 1;

    /** Returns the command. */
    public FloorCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException {
        FloorSettings settings = settings();
        RunReport report = RunReport.begin(context, "floor", settings.described());
        FloorRun run = new FloorRun(settings, report.folder());
        List<FloorFigures> figures = new ArrayList<>();
        for (int round = 1; round <= settings.rounds(); round++) {
            for (FloorCase each : settings.cases()) {
                FloorFigures one = run.measure(each, round);
                figures.add(one);
                one.measures().forEach(report::add);
                report.write();
                context.line(line(one, settings));
            }
        }
        FloorResults results = new FloorResults(figures, settings);
        results.claims().forEach(report::add);
        report.write();
        List<String> lines = new ArrayList<>(results.table());
        results.claims().stream().map(Claim::line).forEach(lines::add);
        lines.addAll(results.wrong());
        Files.write(report.folder().resolve("floor.txt"), lines);
        for (String line : lines) {
            context.line(line);
        }
        context.line("report: " + report.folder());
        return results.wrong().isEmpty() ? 0 : 1;
    }

    private static String line(FloorFigures one, FloorSettings settings) {
        return String.format(
                Locale.ROOT,
                "round %d of %d: %-6s %7.0f requests/s, warmed up for %.0f s",
                one.round(),
                settings.rounds(),
                one.what().label(),
                one.requestsPerSecond(),
                one.costs().warmUpSeconds());
    }

    private FloorSettings settings() throws CommandException {
        int puts = inRange(
                "producers", producers.orElse(inRange("partitions", partitions, 1, MOST_PARTITIONS)), 1, partitions);
        int gets = inRange("consumers", consumers.orElse(puts == 1 ? 0 : puts), 0, puts);
        List<FloorCase> all = puts == 1 && gets == 0 ? OF_ONE_PRODUCER : List.of(FloorCase.values());
        return new FloorSettings(
                partitions,
                puts,
                gets,
                inRange("size", size, 1, 1 << 20),
                Duration.ofSeconds(inRange("warmup", warmUp, 0, 3_600)),
                Duration.ofSeconds(inRange("seconds", seconds.orElse(brief ? 10 : 30), 1, 3_600)),
                inRange("rounds", rounds.orElse(brief ? 1 : 3), 1, 100),
                cases.isEmpty() ? all : cases,
                threads.isPresent() ? inRange("threads", threads.get(), 4, 10_000) : workers(),
                data.orElse(RunFolder.work(context.home())),
                List.of(serverOptions.strip().split(" +")),
                seed);
    }

    private static int inRange(String name, int given, int least, int most) throws CommandException {
        if (given < least || given > most) {
            throw new CommandException(
                    String.format(Locale.ROOT, "--%s: %d (expected: %d..%d)", name, given, least, most));
        }
        return given;
    }

    /** The default number of a server. */
    private static int workers() throws CommandException {
        try {
            return ConfigLoader.load(Map.of()).http().workers();
        } catch (ConfigException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }
}
