// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what one user's puts take beside each of several loads of another user.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "neighbors",
        description = "Two users of one server: one puts at a fixed rate, first alone, then beside each load of the "
                + "other in turn: many streams of small puts, and requests over HTTP/2 that are reset. Compares the "
                + "first user's P99 beside each load with the P99 alone.",
        mixinStandardHelpOptions = true)
public final class NeighborsCommand implements Callable<Integer> {
    private final CommandContext context;

    @Option(names = "--seconds", description = "Measured of each case, 1 to 3600. Default: 20")
    private int seconds = 20;

    @Option(names = "--warmup", description = "Seconds before each case is measured, 0 to 3600. Default: 10")
    private int warmUp = 10;

    @Option(names = "--rate", description = "Puts a second of the good user. Default: 200")
    private int rate = 200;

    @Option(names = "--size", description = "Bytes of the good user's messages. Default: 10240")
    private int size = 10_240;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "LOAD",
            description = "These loads only: ${COMPLETION-CANDIDATES}")
    private List<Neighbor> only = List.of(Neighbor.values());

    @Option(names = "--data", paramLabel = "DIR", description = "Where the server keeps data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    /** Returns the command. */
    public NeighborsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException {
        NeighborsSettings settings = new NeighborsSettings(
                only,
                Duration.ofSeconds(inRange("seconds", seconds, 1, 3_600)),
                Duration.ofSeconds(inRange("warmup", warmUp, 0, 3_600)),
                inRange("rate", rate, 1, 100_000),
                inRange("size", size, 1, 1 << 20),
                data.orElse(RunFolder.work(context.home())));
        RunReport report = RunReport.begin(context, "neighbors", settings.described());
        NeighborsFigures figures = new NeighborsRun(settings, report.folder()).measure();
        figures.measures().forEach(report::add);
        figures.claims().forEach(report::add);
        report.write();
        List<String> lines = new ArrayList<>(report.table());
        figures.claims().stream().map(Claim::line).forEach(lines::add);
        lines.addAll(figures.wrong());
        Files.write(report.folder().resolve("neighbors.txt"), lines);
        for (String line : lines) {
            context.line(line);
        }
        context.line("report: " + report.folder());
        return figures.wrong().isEmpty() ? 0 : 1;
    }

    private static int inRange(String name, int given, int least, int most) throws CommandException {
        if (given < least || given > most) {
            throw new CommandException(
                    String.format(Locale.ROOT, "--%s: %d (expected: %d..%d)", name, given, least, most));
        }
        return given;
    }
}
