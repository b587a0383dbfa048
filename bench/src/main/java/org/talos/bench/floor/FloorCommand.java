// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.engine.ServerSetup;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures producers and consumers that wait, beside a bare Jetty. Confined: the main thread. */
@Command(
        name = "floor",
        description = "A producer and a consumer for each partition, one request of each in flight: to the server with "
                + "durability flush and fsync, raw and over REST (rest), and to a bare Jetty that answers the same bytes, "
                + "and verifies what it reads too (signed). Each case is a process of its own, warmed up until its "
                + "compilers are quiet; rounds interleave them. With --producers 1: the latency of a put alone.")
public final class FloorCommand extends ExperimentCommand {
    private static final int MOST_PARTITIONS = 256;
    private static final List<FloorCase> OF_ONE_PRODUCER =
            List.of(FloorCase.BARE, FloorCase.SIGNED, FloorCase.FLUSH, FloorCase.FSYNC);

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

    @Option(
            names = "--cases",
            split = ",",
            description = "Default: bare,signed,flush,fsync,rest; with one producer all but rest")
    private List<FloorCase> cases = List.of();

    @Option(
            names = "--threads",
            description = "Of Jetty, selectors included, in all cases. Default: http.workers of the server")
    private Optional<Integer> threads = Optional.empty();

    @Option(names = "--seed", description = "Seed of the messages. Default: 1")
    private long seed = 1;

    public FloorCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("One round of 10 s, for a quick look")
                        .seconds("Measured, each case", 30, 10)
                        .warmUp("Seconds before, at most: it ends when the server's compilers are quiet", 60, 60)
                        .rounds("Of all cases; the table has medians", 3, 1)
                        .data("Where the servers keep data")
                        .jvm(
                                "JVM of the servers, in all cases",
                                "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+AlwaysPreTouch"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        FloorSettings settings = settings();
        ExperimentRunner run = ExperimentRunner.begin(context(), "floor", settings.described());
        return run.run(
                new FloorExperiment(settings, run.folder()), settings.timing().rounds());
    }

    private FloorSettings settings() throws CommandException {
        int all = inRange("--partitions", partitions, 1, MOST_PARTITIONS);
        int puts = inRange("--producers", producers.orElse(all), 1, all);
        int gets = inRange("--consumers", consumers.orElse(puts == 1 ? 0 : puts), 0, puts);
        List<FloorCase> preset = puts == 1 && gets == 0 ? OF_ONE_PRODUCER : List.of(FloorCase.values());
        return new FloorSettings(
                new FloorSettings.Clients(all, puts, gets, inRange("--size", size, 1, 1 << 20)),
                options().timing(),
                cases.isEmpty() ? preset : cases,
                threads.isPresent() ? inRange("--threads", threads.get(), 4, 10_000) : workers(),
                new ServerSetup(work(), options().jvm(), Map.of()),
                seed);
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
