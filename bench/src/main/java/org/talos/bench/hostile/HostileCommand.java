// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import static org.talos.bench.engine.ExperimentOptions.inRange;
import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Attacks a small server, and measures what another user feels of it. Confined: the main thread. */
@Command(
        name = "hostile",
        description = "Two users of one server with little memory: one puts at a fixed rate, first alone, then while "
                + "the other does his worst: bodies that are large, slow or full of fields that nobody knows, odd "
                + "blocks, answers that nobody reads, reads that are cut, lines without an end, reads whose answers "
                + "are many times longer than what is stored, topics with large attributes. A client without a key "
                + "holds connections and resets answers. Compares the first one's P99, and the server's live heap "
                + "before and after; compares every byte that attackers and readers of known messages receive; "
                + "signs in to the console meanwhile; starts the server again at the end.")
public final class HostileCommand extends ExperimentCommand {
    private static final int MOST_CONNECTIONS = 15_000; // with the rest, less than the files of a process

    @Option(names = "--minutes", description = "Of the attack. Default: 10; short: 1")
    private Optional<Integer> minutes = Optional.empty();

    @Option(names = "--seconds", description = "Of the attack, in place of minutes")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--alone",
            description =
                    "Seconds that the peaceful user is measured alone. Default: a fifth of the attack, 10 at least")
    private Optional<Integer> alone = Optional.empty();

    @Option(names = "--rate", description = "Puts a second of the peaceful user. Default: 200")
    private int rate = 200;

    @Option(names = "--size", description = "Bytes of a peaceful message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--partitions", description = "Of the hostile user, 1 to 256. Default: 64")
    private int partitions = 64;

    @Option(
            names = "--filling",
            description =
                    "Puts to each of these before, so that caches are full. Default: 1000, as many as are remembered")
    private int filling = 1_000;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            split = ",",
            description = "Heaps of the server, one after another, as 256m,512m,1g. Default: 512m")
    private List<String> heaps = List.of("512m");

    @Option(names = "--server-options", paramLabel = "OPTIONS", description = "JVM of the server, besides the heap")
    private String serverOptions = "";

    @Option(
            names = "--attacks",
            paramLabel = "KIND",
            split = ",",
            description = "Kinds of attack, as page-resets,half-records. Default: all")
    private List<String> kinds = List.of();

    @Option(
            names = "--each",
            description = "Begins each attack alone, on a server of its own, with its own measurement of the peaceful "
                    + "user before it: a row for each. Default: all attacks at once")
    private boolean eachAlone;

    @Option(
            names = "--connections",
            description = "That clients without a key hold, all kinds of them together. Default: 8000")
    private int keyless = 8_000;

    @Option(names = "--seed", description = "Seed of the load. Default: 1")
    private long seed = 1;

    public HostileCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("One minute, for a quick look")
                        .warmUp("Seconds before", 30, 10)
                        .data("Where the server keeps data"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        HostileSettings settings = settings();
        RunReport report = RunReport.begin(context(), "hostile", settings.described(checkedHeaps()));
        List<String> lines = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (String heap : heaps) {
            lines.add("heap of the server: " + heap);
            lines.addAll(
                    eachAlone ? measureEach(settings, heap, report, wrong) : measure(settings, heap, report, wrong));
        }
        lines.addAll(report.table());
        return report.finish(lines, wrong);
    }

    /** Measures all attacks at once, and returns their tables. */
    private List<String> measure(HostileSettings settings, String heap, RunReport report, List<String> wrong)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        HostileFigures figures = new HostileRun(settings, heap, heap, report.folder()).measure();
        figures.measures().forEach(report::add);
        figures.claims().forEach(claim -> report.add(withHeap(claim, heap)));
        report.write();
        wrong.addAll(figures.wrong());
        List<String> lines = new ArrayList<>(figures.table());
        lines.addAll(figures.tableOfOthers());
        return lines;
    }

    /** Measures one attack after another, and returns their table. */
    private List<String> measureEach(HostileSettings settings, String heap, RunReport report, List<String> wrong)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        List<HostileFigures> measured = new ArrayList<>();
        for (Attack attack : settings.hostile().attacks()) {
            String label = heap + " " + attack.option();
            HostileFigures figures = new HostileRun(settings.with(attack), heap, label, report.folder()).measure();
            measured.add(figures);
            figures.measures().forEach(report::add);
            figures.wrong().forEach(line -> wrong.add(line + " (" + attack.label() + ")"));
            report.write();
        }
        HostileRows rows = new HostileRows(measured);
        rows.claims().forEach(claim -> report.add(withHeap(claim, heap)));
        return rows.table();
    }

    private Claim withHeap(Claim claim, String heap) {
        if (heaps.size() == 1) {
            return claim;
        }
        return new Claim(heap + ": " + claim.text(), claim.unit(), claim.measured(), claim.bound(), claim.limit());
    }

    private HostileSettings settings() throws CommandException {
        int attacked = seconds.isPresent()
                ? inRange("--seconds", seconds.get(), 1, 86_400)
                : 60 * inRange("--minutes", minutes.orElse(options().isBrief() ? 1 : 10), 1, 1_440);
        return new HostileSettings(
                new HostileSettings.Times(
                        Duration.ofSeconds(attacked),
                        Duration.ofSeconds(inRange("--alone", alone.orElse(Math.max(10, attacked / 5)), 1, 86_400)),
                        options().warmUp()),
                new HostileSettings.PeacefulUser(
                        inRange("--rate", rate, 1, 100_000), inRange("--size", size, 1, 1 << 20), 16),
                new HostileSettings.HostileUser(
                        inRange("--partitions", partitions, 1, 256),
                        inRange("--filling", filling, 1, 1_000_000),
                        attacks(),
                        inRange("--connections", keyless, 1, MOST_CONNECTIONS)),
                new ServerSetup(work(), jvm(), Map.of()),
                seed);
    }

    private List<String> jvm() {
        return Stream.of(serverOptions.strip().split(" +"))
                .filter(each -> !each.isEmpty())
                .toList();
    }

    private List<String> checkedHeaps() throws CommandException {
        for (String each : heaps) {
            if (!each.matches("[1-9][0-9]*[mg]")) {
                throw new CommandException(format("--heap: %s (expected: a size such as 512m or 1g)", each));
            }
        }
        return heaps;
    }

    private List<Attack> attacks() throws CommandException {
        List<Attack> chosen = Stream.of(Attack.values())
                .filter(each -> kinds.isEmpty() || kinds.contains(each.option()))
                .toList();
        if (!kinds.isEmpty() && chosen.size() != kinds.size()) {
            String all = Stream.of(Attack.values()).map(Attack::option).collect(Collectors.joining(", "));
            throw new CommandException(format("--attacks: %s (expected: of %s)", String.join(",", kinds), all));
        }
        return chosen;
    }
}
