// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares puts through the server with Hadoop's client alone, on a real HDFS. Confined: the main thread. */
@Command(
        name = "hdfs",
        description = "Write the same records to a real HDFS: with Hadoop's client alone, a file and a flush for each "
                + "thread, with the most threads also without flushes (bulk), and by puts to a server that keeps its logs there, from shared journals and from a file for "
                + "each partition. Starts HDFS on this machine unless one is named.")
public final class HdfsCommand extends ExperimentCommand {
    private static final int MOST_PARTITIONS = 256;

    @Mixin
    private HdfsOptions hdfs = new HdfsOptions();

    @Option(names = "--partitions", split = ",", description = "1 to 256 each. Default: 1,8,32,120")
    private List<Integer> partitions = List.of(1, 8, 32, 120);

    @Option(names = "--size", description = "Bytes of a record, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    public HdfsCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("About 7 minutes.")
                        .seconds("Measured, each way in each round", 10, 4)
                        .warmUp("Seconds of full load, each way", 30, 30)
                        .rounds("The table has medians", 5, 3)
                        .set("For the servers, as in the environment: HDFS_JOURNALS=4"));
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        for (int each : partitions) {
            inRange("--partitions", each, 1, MOST_PARTITIONS);
        }
        Duration warmUp = options().warmUp();
        inRange("--warmup", warmUp.toSeconds(), 1, Integer.MAX_VALUE);
        Duration measured = options().seconds();
        int rounds = options().rounds();
        ExperimentRunner runner = ExperimentRunner.begin(context(), "hdfs", described());
        Path folder = runner.folder();
        try (Cluster cluster = hdfs.cluster(context().home(), folder);
                HdfsRun run = new HdfsRun(
                        cluster,
                        new HdfsRun.Settings(hdfs.durability(), size, options().set()))) {
            int most = Collections.max(partitions);
            for (Way way : List.of(Way.JOURNAL, Way.PIPELINE)) {
                run.start(way, most, work(), folder.resolve(way.label() + ".log"));
            }
            for (Way way : HdfsExperiment.COMPARED) {
                var unused = run.measure(way, most, 0, warmUp, Duration.ofSeconds(1));
                context().line("warm: " + way.label());
            }
            HdfsExperiment experiment = new HdfsExperiment(run, partitions, measured);
            runner.measure(experiment, rounds);
            HdfsExperiment.Writer bulk = new HdfsExperiment.Writer(Way.BULK, most);
            for (int round = 1; round <= rounds; round++) { // last: what it leaves to be written and deleted is much
                runner.measure(experiment, bulk, round, rounds);
            }
            return runner.finish(experiment);
        }
    }

    private SortedMap<String, String> described() throws CommandException {
        SortedMap<String, String> lines = hdfs.described("started");
        lines.put("partitions", partitions.toString());
        lines.put("message bytes", Integer.toString(size));
        lines.put("measured s", Long.toString(options().seconds().toSeconds()));
        lines.put("warm-up s", Long.toString(options().warmUp().toSeconds()));
        lines.put("rounds", Integer.toString(options().rounds()));
        options().set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }
}
