// SPDX-License-Identifier: Apache-2.0
package org.talos.check;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.talos.check.history.HistoryFile;
import org.talos.check.nemesis.Shape;
import org.talos.check.report.RunFolder;
import org.talos.check.verdict.Verdict;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs clients against servers under faults, records what the clients did and saw, and reports every anomaly in that
 * history.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "check",
        description =
                "Start HDFS, HBase and Talos servers on this machine, let clients of all kinds use them while they "
                        + "are killed, held still and cut off, and look for violations in the history of what clients "
                        + "did and received. Ends with 0 if there is none, else with 1.",
        mixinStandardHelpOptions = true)
public final class CheckCommand implements Callable<Integer> {
    private static final String LOG_LEVEL = "talos.log.level";
    private static final Duration SHORT = Duration.ofSeconds(80);
    private static final long SHORT_ENDING_SECONDS = 60;
    private static final long ENDING_SECONDS = 180;
    private static final int ENSEMBLE = 3;

    private final CommandContext context;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description = "Judge this history, lines of JSON of an earlier run, and run nothing")
    private Optional<Path> history = Optional.empty();

    @Option(names = "--short", description = "Three minutes in all, without faults that take long")
    private boolean brief;

    @Option(names = "--minutes", description = "Minutes of faults. Default: 30")
    private int minutes = 30;

    @Option(names = "--seconds", description = "Seconds of faults, instead of --minutes or --short")
    private Optional<Integer> seconds = Optional.empty();

    @Option(names = "--seed", description = "Seed of faults and values. Default: another each time")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "Only faults whose name contains this; several times: any of them. Default: all faults")
    private List<String> only = List.of();

    @Option(names = "--servers", description = "How many Talos servers. Default: 1")
    private int servers = 1;

    @Option(
            names = "--zookeepers",
            description =
                    "How many servers of ZooKeeper, 1 or 3. Default: 3 with several Talos servers, but not with --short")
    private Optional<Integer> zooKeepers = Optional.empty();

    @Option(
            names = "--local",
            description = "One server with its data on this machine's disk, without HDFS, HBase and ZooKeeper")
    private boolean local;

    @Option(names = "--tls", description = "Mutual TLS between the Talos servers")
    private boolean tls;

    @Option(
            names = "--sasl",
            description = "Servers have a password for ZooKeeper, and nobody else may change their nodes")
    private boolean sasl;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the servers, as in the environment: LOG_DEDUPEWINDOW=0 makes the check fail")
    private Map<String, String> set = new HashMap<>();

    /** Returns the command {@code check}. */
    public CheckCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        Verdict verdict = history.isPresent() ? Verdict.of(HistoryFile.read(history.get())) : run();
        for (String line : verdict.lines()) {
            context.line(line);
        }
        return verdict.clean() ? 0 : 1;
    }

    private Shape shape() throws CommandException {
        try {
            return new Shape(servers, zooKeepers.orElse(servers > 1 && !brief ? ENSEMBLE : 1), local, sasl, tls);
        } catch (IllegalArgumentException e) {
            throw CommandException.usage("--servers, --zookeepers, --local: " + e.getMessage());
        }
    }

    private Verdict run() throws IOException, CommandException, TalosClientException, InterruptedException {
        if (servers < 1 || minutes < 1 || seconds.orElse(1) < 1) {
            throw CommandException.usage("--servers, --minutes and --seconds: 1 or more");
        }
        if (System.getProperty(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, "ERROR"); // that calls fail is what is wanted here; before the first logger
        }
        Shape shape = shape();
        long drawn = seed.orElse(System.nanoTime() & Integer.MAX_VALUE);
        CheckRun.Settings settings = new CheckRun.Settings(
                shape,
                set,
                seconds.map(Duration::ofSeconds).orElse(brief ? SHORT : Duration.ofMinutes(minutes)),
                brief,
                only,
                drawn,
                brief ? SHORT_ENDING_SECONDS : ENDING_SECONDS);
        TreeMap<String, String> described = new TreeMap<>(Map.of(
                "servers",
                Integer.toString(servers),
                "storage",
                local ? "local" : "hdfs, hbase; servers of ZooKeeper: " + shape.zooKeepers(),
                "faults",
                settings.faults().toSeconds() + " s",
                "seed",
                Long.toString(drawn)));
        if (sasl) {
            described.put("zookeeper", "sasl");
        }
        if (tls) {
            described.put("between servers", "mutual TLS");
        }
        set.forEach((key, value) -> described.put("set " + key, value));
        only.forEach(name -> described.put("only " + name, ""));
        Path folder = RunFolder.begin(context.home(), "check", described);
        context.line("--seed " + drawn + ", in " + folder);
        return new CheckRun(context, settings, folder).run();
    }
}
