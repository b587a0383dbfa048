// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.load.NumberedMessages;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how long partitions in HDFS are not served when their server is killed. Confined: the main thread. */
@Command(
        name = "takeover",
        description = "Kill a server under load whose logs are in HDFS, start another, and measure until every "
                + "partition serves again; then check that each acknowledged put is there once. Starts HDFS on this "
                + "machine unless one is named.")
public final class TakeoverCommand extends ExperimentCommand {
    private static final int MOST_PARTITIONS = 256;
    private static final int MOST_SEGMENTS = 10_000;

    @Mixin
    private HdfsOptions hdfs = new HdfsOptions();

    @Option(names = "--partitions", description = "1 to 256. Default: 120")
    private int partitions = 120;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(
            names = "--segments",
            split = ",",
            paramLabel = "NUMBER",
            description = "Sealed segments that each partition has before, 0 to 10000; with several numbers, each is "
                    + "measured in each round. Default: 0")
    private List<Integer> segments = List.of(0);

    @Option(names = "--way", split = ",", description = "JOURNAL, PIPELINE. Default: both")
    private List<Way> ways = List.of(Way.JOURNAL, Way.PIPELINE);

    public TakeoverCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("Once, after a shorter load.")
                        .seconds("Of load before the kill", 20, 5)
                        .rounds("The table has medians", 3, 1)
                        .set("For the servers, as in the environment: HDFS_RECOVERIESATONCE=64"));
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        check();
        int rounds = options().rounds();
        var settings = new TakeoverRun.Settings(
                partitions,
                size,
                options().seconds(),
                hdfs.durability(),
                options().set());
        ExperimentRunner runner = ExperimentRunner.begin(context(), "takeover", described());
        SortedMap<Integer, TakeoverSite> sites = new TreeMap<>();
        try (Cluster cluster = hdfs.cluster(context().home(), runner.folder())) {
            for (int each : new TreeSet<>(segments)) {
                sites.put(each, site(cluster, settings, each, runner.folder()));
            }
            TakeoverExperiment experiment =
                    new TakeoverExperiment(new TakeoverRun(settings, runner.folder()), partitions, ways, sites);
            for (Way way : ways) { // form by form: each finds what the same one has left
                for (int round = 1; round <= rounds; round++) {
                    for (TakeoverSite site : sites.values()) {
                        runner.measure(experiment, new TakeoverExperiment.Takeover(way, site), round, rounds);
                    }
                }
            }
            return runner.finish(experiment);
        } finally {
            sites.values().forEach(TakeoverSite::close);
        }
    }

    private void check() throws CommandException {
        inRange("--partitions", partitions, 1, MOST_PARTITIONS);
        inRange("--size", size, NumberedMessages.LEAST_BYTES, Integer.MAX_VALUE);
        for (int each : segments) {
            inRange("--segments", each, 0, MOST_SEGMENTS);
        }
        if (!ways.stream().allMatch(Way::hasServer)) {
            throw CommandException.usage("--way: JOURNAL or PIPELINE");
        }
    }

    private SortedMap<String, String> described() throws CommandException {
        SortedMap<String, String> lines = hdfs.described("started, heartbeats as HDFS has them: 3 s");
        lines.put("partitions", Integer.toString(partitions));
        lines.put("message bytes", Integer.toString(size));
        lines.put("load s", Long.toString(options().seconds().toSeconds()));
        lines.put("rounds", Integer.toString(options().rounds()));
        lines.put("segments", segments.toString());
        options().set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private TakeoverSite site(Cluster cluster, TakeoverRun.Settings all, int count, Path logs)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        long begun = System.nanoTime();
        TakeoverSite site = TakeoverSite.make(cluster, all, count, work(), logs);
        if (count > 0) {
            line(
                    "%d sealed segments in each of %d partitions, made in %d s",
                    count, partitions, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
        }
        return site;
    }
}
