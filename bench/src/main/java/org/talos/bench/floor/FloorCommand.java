// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.eclipse.jetty.util.Jetty;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures synchronous signed puts to the server, with either durability, and to a bare Jetty in one run, so that the
 * three can be compared.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "floor",
        description =
                "Puts with one in flight for each partition: to the server with durability flush and fsync, and to "
                        + "a bare Jetty that reads the same bodies, and verifies them too (signed); rest puts raw bytes over REST. Each case is a process of its own; rounds interleave them.",
        mixinStandardHelpOptions = true)
public final class FloorCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Option(names = "--seconds", description = "Measured, each case. Default: 30")
    private int seconds = 30;

    @Option(names = "--warmup", description = "Seconds before, for the compilers of the JVM. Default: 25")
    private int warmUp = 25;

    @Option(names = "--partitions", description = "1 to 256: puts in flight, each to its own. Default: 120")
    private int partitions = 120;

    @Option(names = "--size", description = "Bytes of a message, which can't be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 3")
    private int rounds = 3;

    @Option(names = "--cases", split = ",", description = "Default: bare,signed,flush,fsync,rest")
    private List<FloorCase> cases = List.of(FloorCase.values());

    @Option(names = "--data", paramLabel = "DIR", description = "Where the servers keep data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--server-options",
            paramLabel = "OPTIONS",
            description = "JVM of the servers. Default: -Xms2g -Xmx2g -XX:+AlwaysPreTouch")
    private String serverOptions = "-Xms2g -Xmx2g -XX:+AlwaysPreTouch";

    @Option(names = "--seed", description = "What the messages are made from. Default: 1")
    private long seed = 1;

    /** Returns the command. */
    public FloorCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException {
        Path target = RunFolder.work(surroundings.home());
        String time = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneOffset.UTC));
        Path folder = Files.createDirectories(target.resolve("reports/floor-" + time));
        FloorSettings settings = new FloorSettings(
                partitions,
                size,
                Duration.ofSeconds(warmUp),
                Duration.ofSeconds(seconds),
                data.orElse(target),
                List.of(serverOptions.strip().split(" +")),
                seed);
        Files.write(folder.resolve("settings.txt"), described(settings));
        FloorRun run = new FloorRun(settings, folder);
        List<FloorFigures> figures = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            for (FloorCase each : cases) {
                FloorFigures one = run.measure(each, round);
                figures.add(one);
                new FloorReport(figures).write(folder);
                surroundings.line(
                        "round %d of %d: %-5s %7.0f puts/s".formatted(round, rounds, each.label(), one.perSecond()));
            }
        }
        FloorReport report = new FloorReport(figures);
        for (String line : report.table()) {
            surroundings.line(line);
        }
        surroundings.line("report: " + folder);
        return report.sound() ? 0 : 1;
    }

    private List<String> described(FloorSettings settings) {
        return List.of(
                "partitions      " + settings.partitions(),
                "message bytes   " + settings.size(),
                "warm-up s       " + settings.warmUp().toSeconds(),
                "measured s      " + settings.measured().toSeconds(),
                "rounds          " + rounds,
                "cases           " + cases,
                "data            " + settings.work(),
                "server options  " + settings.serverOptions(),
                "seed            " + settings.seed(),
                "commit          " + commit(),
                "java            " + Runtime.version() + " " + System.getProperty("java.vm.name"),
                "jetty           " + Jetty.VERSION,
                "system          " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                "processors      " + Runtime.getRuntime().availableProcessors());
    }

    private String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=40")
                    .directory(surroundings.home().toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader out = git.inputReader(StandardCharsets.UTF_8)) {
                return Optional.ofNullable(out.readLine()).orElse("unknown");
            }
        } catch (IOException e) {
            return "unknown";
        }
    }
}
