// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.Folders;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Kills a server at full load again and again, and says what became of its messages. Confined: the main thread. */
@Command(
        name = "kills",
        description = "Kills a server with kill -9 again and again while REST and the SDK put as fast as they can, "
                + "then reads all: nothing acknowledged may be lost, doubled or moved.",
        mixinStandardHelpOptions = true)
public final class KillsCommand implements Callable<Integer> {
    private final CommandContext context;

    @Option(names = "--rounds", description = "Kills with each durability. Default: 20")
    private int rounds = 20;

    @Option(
            names = "--durability",
            split = ",",
            paramLabel = "WHICH",
            description = "flush, fsync, or both. Default: flush,fsync")
    private List<String> durabilities = List.of("flush", "fsync");

    @Option(names = "--seconds", description = "Longest from a start to the next kill. Default: 4")
    private int seconds = 4;

    @Option(names = "--partitions", description = "Default: 16")
    private int partitions = 16;

    @Option(names = "--rest-writers", description = "Each to a partition. Default: 16")
    private int restWriters = 16;

    @Option(names = "--sdk-writers", description = "Producers, each to all partitions. Default: 2")
    private int sdkWriters = 2;

    @Option(names = "--size", description = "Bytes of a message. Default: 1024")
    private int size = 1024;

    @Option(names = "--heap", description = "Of the server. Default: 1g")
    private String heap = "1g";

    @Option(names = "--seed", description = "Decides when it is killed. Default: 1")
    private long seed = 1;

    public KillsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, InterruptedException, CommandException {
        KillSettings.Writers writers = new KillSettings.Writers(restWriters, sdkWriters);
        KillSettings settings =
                new KillSettings(rounds, Duration.ofSeconds(seconds), partitions, writers, size, heap, seed);
        Path work = Files.createDirectories(RunFolder.work(context.home()));
        boolean sound = true;
        for (String durability : durabilities) {
            Path folder = Files.createTempDirectory(work, "kills-");
            KillRun.Outcome outcome = new KillRun(settings, durability, environment(), folder).run();
            say(durability, outcome);
            if (outcome.wrongs() == 0) {
                Folders.delete(folder);
            } else {
                context.line("kept     " + folder);
                sound = false;
            }
        }
        return sound ? 0 : 1;
    }

    private static Map<String, String> environment() throws IOException {
        return Map.of(
                "TALOS_HTTP_HOST",
                "127.0.0.1",
                "TALOS_HTTP_PORT",
                Integer.toString(FreePorts.next()), // it comes back where it was
                "TALOS_MANAGEMENT_PORT",
                "0");
    }

    private void say(String durability, KillRun.Outcome outcome) throws IOException {
        context.line(format(
                "%-8s killed %d times: %,d messages sent, %,d acknowledged, %,d there; took puts again within %.1f s",
                durability,
                rounds,
                outcome.sent(),
                outcome.acknowledged(),
                outcome.there(),
                outcome.slowestStart().toMillis() / 1e3));
        if (!outcome.abandoned().isEmpty()) {
            context.line("         given up by the SDK, so that nothing is promised: " + outcome.abandoned());
        }
        if (outcome.wrongs() == 0) {
            context.line("         nothing acknowledged is lost, doubled or moved");
        } else {
            context.line(format("WRONG    %,d findings, the first of them:", outcome.wrongs()));
            for (String each : outcome.firstWrongs()) {
                context.line("         " + each);
            }
        }
    }
}
