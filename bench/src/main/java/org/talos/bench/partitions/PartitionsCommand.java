// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClientException;
import org.talos.launcher.local.Folders;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what a server with many partitions costs while nobody uses them. Confined: the main thread. */
@Command(
        name = "partitions",
        description = "Makes so many partitions with a message each on a server of its own, and prints what they cost: "
                + "memory, files, processor, metrics, a restart.",
        mixinStandardHelpOptions = true)
public final class PartitionsCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Option(names = "--partitions", description = "Of all topics. Default: 10000")
    private int partitions = 10_000;

    @Option(names = "--topics", description = "Among which they are shared out. Default: 40")
    private int topics = 40;

    @Option(names = "--seconds", description = "How long nothing happens while CPU is measured. Default: 20")
    private int seconds = 20;

    @Option(names = "--data", paramLabel = "DIR", description = "Where the server keeps data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(names = "--server-options", paramLabel = "OPTIONS", description = "JVM of the server. Default: -Xmx1g")
    private String serverOptions = "-Xmx1g";

    /** Returns the command. */
    public PartitionsCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        if (topics < 1 || partitions < topics || seconds < 1) {
            throw CommandException.usage("--topics and --seconds: 1 or more; --partitions: one for each topic or more");
        }
        Path work = Files.createDirectories(data.orElse(RunFolder.work(surroundings.home())));
        Path folder = Files.createTempDirectory(work, "partitions-");
        List<String> jvm = List.of(serverOptions.strip().split(" +"));
        try {
            PartitionsRun run = new PartitionsRun(folder, work.resolve("partitions.log"), jvm, surroundings::line);
            run.measure(topics, partitions, Duration.ofSeconds(seconds));
        } finally {
            Folders.delete(folder);
        }
        return 0;
    }
}
