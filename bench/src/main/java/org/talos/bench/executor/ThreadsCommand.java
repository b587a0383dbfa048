// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.engine.Results;
import org.talos.bench.executor.KeyLoad.ThreadsCase;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.variant.SelectionPolicy;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how latency depends on the number of workers and the choice of one. Confined: the main thread. */
@Command(
        name = "threads",
        description = "Tasks that block as a distributed file system does, one in flight for each key, in the executor "
                + "alone: latency, wait and distinct workers by number of workers and policy.")
public final class ThreadsCommand extends ExperimentCommand implements Experiment<ThreadsCase> {
    private static final Duration MOST = Duration.ofMillis(200);
    private static final double LEAST_QPS = 1.10;
    private static final double MOST_P99 = 0.70;
    /** With more workers than keys two of these meet less often, and no executor could do better than 0.77. */
    private static final double MOST_P99_OF_MORE = 0.80;

    private static final double MOST_WAIT = 0.50;

    @Spec
    private CommandSpec spec = CommandSpec.create(); // set before it is run

    @Option(names = "--workers", split = ",", description = "Default: 20,60,120,200")
    private List<Integer> workers = List.of(20, 60, 120, 200);

    @Option(names = "--keys", description = "Each with one task in flight. Default: 120")
    private int keys = 120;

    @Option(names = "--median-ms", description = "Of the time that a task blocks. Default: 3")
    private double medianMillis = 3;

    @Option(names = "--p99-ms", description = "Of the same; lognormal in between and beyond. Default: 15")
    private double p99Millis = 15;

    @Option(names = "--warmup", description = "Seconds before each measure. Default: 1")
    private double warmUp = 1;

    @Option(names = "--seconds", description = "Measured, each case in each round. Default: 8")
    private double seconds = 8;

    @Option(names = "--virtual", description = "Workers without threads of the kernel, on JDK 24 or newer.")
    private boolean virtual;

    @Option(names = "--seed", description = "Seed of keys and delays; each round has its own. Default: 1")
    private long seed = 1;

    public ThreadsCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("In less than two minutes: warm-up 0.5, seconds 2")
                        .rounds("Of all cases; the table has medians", 7, 4));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        WithoutThreads.check(virtual, spec);
        if (options().isBrief()) {
            warmUp = 0.5;
            seconds = 2;
        }
        return ExperimentRunner.begin(context(), "threads", settings())
                .run(this, options().rounds());
    }

    private SortedMap<String, String> settings() throws CommandException {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("workers", workers.toString());
        settings.put("worker threads", virtual ? "virtual" : "platform");
        settings.put("keys", keys + ", one task in flight each");
        settings.put(
                "delay",
                format("lognormal, median %s ms, P99 %s ms, at most %d ms", medianMillis, p99Millis, MOST.toMillis()));
        settings.put("warm-up s", Double.toString(warmUp));
        settings.put("measured s", Double.toString(seconds));
        settings.put("rounds", Integer.toString(options().rounds()));
        settings.put("seed", Long.toString(seed));
        return settings;
    }

    @Override
    public List<ThreadsCase> cases(int round) {
        return workers.stream()
                .flatMap(count -> Stream.of(
                        new ThreadsCase(count, SelectionPolicy.HASH, virtual),
                        new ThreadsCase(count, SelectionPolicy.AFFINITY, virtual)))
                .toList();
    }

    /** Both policies of a round get the same keys and the same delays. */
    @Override
    public List<Measure> measure(ThreadsCase what, int round) throws InterruptedException {
        LognormalDelays delays =
                new LognormalDelays(duration(medianMillis / 1e3), duration(p99Millis / 1e3), MOST, seed + round);
        KeyLoad load = new KeyLoad(Keys.independent(keys, seed + round), delays);
        return List.of(load.run(what, round, duration(warmUp), duration(seconds)));
    }

    @Override
    public String line(ThreadsCase what, List<Measure> measured) {
        return format("%s: %.0f tasks/s", what.name(), measured.get(0).perSecond());
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    /** With fewer workers than keys, keys wait for any worker at all, whichever is chosen. */
    @Override
    public List<Claim> claims(Results results) {
        return workers.stream()
                .filter(count -> count >= keys)
                .flatMap(count -> claims(results, count))
                .toList();
    }

    private Stream<Claim> claims(Results results, int count) {
        String end = format(" of affinity against hash, %d workers", count);
        double mostP99 = count > keys ? MOST_P99_OF_MORE : MOST_P99;
        return Stream.of(
                Claim.atLeast("QPS" + end, "", ratio(results, count, Measure::perSecond), LEAST_QPS),
                Claim.atMost("P99" + end, "", ratio(results, count, each -> each.millisAt(99)), mostP99),
                Claim.atMost(
                        "P999 of the queue wait" + end,
                        "",
                        ratio(results, count, each -> each.figure(ThreadsCase.WAIT_P999)),
                        MOST_WAIT));
    }

    private double ratio(Results results, int count, ToDoubleFunction<Measure> figure) {
        return results.ratio(
                new ThreadsCase(count, SelectionPolicy.AFFINITY, virtual).name(),
                new ThreadsCase(count, SelectionPolicy.HASH, virtual).name(),
                Results.figure("task", figure));
    }

    @Override
    public List<String> wrong(Results results) {
        return results.unsound();
    }
}
