// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Attacks a small server with all that one user may do, and measures what another user feels of it and what is left in
 * memory.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "hostile",
        description = "Two users of one server with little memory: one puts at a fixed rate, first alone, then while "
                + "the other does his worst: bodies that are large, slow or full of fields that nobody knows, odd "
                + "blocks, answers that nobody reads, reads that are cut, lines without an end. Compares the first "
                + "one's P99, and the server's live heap before and after.",
        mixinStandardHelpOptions = true)
public final class HostileCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Option(names = "--short", description = "One minute, for a quick look")
    private boolean brief;

    @Option(names = "--minutes", description = "Of the attack. Default: 10; short: 1")
    private Optional<Integer> minutes = Optional.empty();

    @Option(names = "--seconds", description = "Of the attack, in place of minutes")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--alone",
            description =
                    "Seconds that the peaceful user is measured alone. Default: a fifth of the attack, 10 at least")
    private Optional<Integer> alone = Optional.empty();

    @Option(names = "--warmup", description = "Seconds before. Default: 30; short: 10")
    private Optional<Integer> warmUp = Optional.empty();

    @Option(names = "--rate", description = "Puts a second of the peaceful user. Default: 200")
    private int rate = 200;

    @Option(names = "--size", description = "Bytes of a peaceful message, which can't be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--partitions", description = "Of the hostile user, 1 to 256. Default: 64")
    private int partitions = 64;

    @Option(
            names = "--filling",
            description =
                    "Puts to each of these before, so that caches are full. Default: 1000, as many as are remembered")
    private int filling = 1_000;

    @Option(names = "--data", paramLabel = "DIR", description = "Where the server keeps data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(names = "--server-options", paramLabel = "OPTIONS", description = "JVM of the server. Default: -Xmx512m")
    private String serverOptions = "-Xmx512m";

    @Option(names = "--seed", description = "What the load is made from. Default: 1")
    private long seed = 1;

    /** Returns the command. */
    public HostileCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        HostileSettings settings = settings();
        RunReport report = RunReport.begin(surroundings, "hostile", settings.described());
        HostileFigures figures = new HostileRun(settings, report.folder()).measure();
        figures.measures().forEach(report::add);
        figures.claims().forEach(report::add);
        report.write();
        List<String> lines = new ArrayList<>(figures.table());
        lines.addAll(report.table());
        figures.claims().stream().map(Claim::line).forEach(lines::add);
        lines.addAll(figures.wrong());
        Files.write(report.folder().resolve("hostile.txt"), lines);
        for (String line : lines) {
            surroundings.line(line);
        }
        surroundings.line("report: " + report.folder());
        return figures.wrong().isEmpty() ? 0 : 1;
    }

    private HostileSettings settings() throws CommandException {
        int attacked = seconds.isPresent()
                ? inRange("seconds", seconds.get(), 1, 86_400)
                : 60 * inRange("minutes", minutes.orElse(brief ? 1 : 10), 1, 1_440);
        return new HostileSettings(
                Duration.ofSeconds(attacked),
                Duration.ofSeconds(inRange("alone", alone.orElse(Math.max(10, attacked / 5)), 1, 86_400)),
                Duration.ofSeconds(inRange("warmup", warmUp.orElse(brief ? 10 : 30), 0, 3_600)),
                inRange("rate", rate, 1, 100_000),
                inRange("size", size, 1, 1 << 20),
                16,
                inRange("partitions", partitions, 1, 256),
                inRange("filling", filling, 1, 1_000_000),
                data.orElse(RunFolder.work(surroundings.home())),
                List.of(serverOptions.strip().split(" +")),
                seed);
    }

    private static int inRange(String name, int given, int least, int most) throws CommandException {
        if (given < least || given > most) {
            throw new CommandException("--%s: %d (expected: %d..%d)".formatted(name, given, least, most));
        }
        return given;
    }
}
