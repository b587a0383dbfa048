// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.talos.bench.engine.Results;
import org.talos.bench.executor.KeyLoad.ThreadsCase;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.bench.variant.SelectionPolicy;
import org.talos.cli.CommandContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures how latency depends on the number of workers and on the choice of a worker, with the executor alone.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "threads",
        description = "Tasks that block as a distributed file system does, one in flight for each key, in the executor "
                + "alone: latency, wait and distinct workers by number of workers and policy.",
        mixinStandardHelpOptions = true)
public final class ThreadsCommand implements Callable<Integer> {
    private static final Duration MOST = Duration.ofMillis(200);
    private static final double LEAST_QPS = 1.10;
    private static final double MOST_P99 = 0.70;
    /** With more workers than keys two of these meet less often, and no executor could do better than 0.77. */
    private static final double MOST_P99_OF_MORE = 0.80;

    private static final double MOST_WAIT = 0.50;

    private final CommandContext context;
    private final Results measured = new Results();

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

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 7")
    private int rounds = 7;

    @Option(names = "--short", description = "In less than two minutes: warm-up 0.5, seconds 2, rounds 4")
    private boolean brief;

    @Option(names = "--virtual", description = "Workers without threads of the kernel, on JDK 24 or newer.")
    private boolean virtual;

    @Option(names = "--seed", description = "Seed of keys and delays; each round has its own. Default: 1")
    private long seed = 1;

    /** Returns the command. */
    public ThreadsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        WithoutThreads.check(virtual, spec);
        if (brief) {
            warmUp = 0.5;
            seconds = 2;
            rounds = 4;
        }
        RunReport report = RunReport.begin(context, "threads", settings());
        for (int round = 1; round <= rounds; round++) {
            for (int count : workers) {
                measure(new ThreadsCase(count, SelectionPolicy.HASH, virtual), round, report);
                measure(new ThreadsCase(count, SelectionPolicy.AFFINITY, virtual), round, report);
            }
            report.write();
            context.line(String.format(Locale.ROOT, "round %d of %d", round, rounds));
        }
        for (int count : workers) {
            // With fewer, keys wait for any worker at all, whichever is chosen.
            if (count >= keys) {
                claim(count, report);
            }
        }
        return report.finish(report.table(), measured.unsound());
    }

    private SortedMap<String, String> settings() {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("workers", workers.toString());
        settings.put("worker threads", virtual ? "virtual" : "platform");
        settings.put("keys", keys + ", one task in flight each");
        settings.put(
                "delay",
                String.format(
                        Locale.ROOT,
                        "lognormal, median %s ms, P99 %s ms, at most %d ms",
                        medianMillis,
                        p99Millis,
                        MOST.toMillis()));
        settings.put("warm-up s", Double.toString(warmUp));
        settings.put("measured s", Double.toString(seconds));
        settings.put("rounds", Integer.toString(rounds));
        settings.put("seed", Long.toString(seed));
        return settings;
    }

    /** Both policies of a round get the same keys and the same delays. */
    private void measure(ThreadsCase what, int round, RunReport report) throws InterruptedException {
        LognormalDelays delays =
                new LognormalDelays(duration(medianMillis / 1e3), duration(p99Millis / 1e3), MOST, seed + round);
        KeyLoad load = new KeyLoad(Keys.independent(keys, seed + round), delays);
        Measure measure = load.run(what, round, duration(warmUp), duration(seconds));
        measured.add(measure);
        report.add(measure);
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    private void claim(int count, RunReport report) {
        String end = String.format(Locale.ROOT, " of affinity against hash, %d workers", count);
        report.add(Claim.atLeast("QPS" + end, "", ratio(count, Measure::perSecond), LEAST_QPS));
        double mostP99 = count > keys ? MOST_P99_OF_MORE : MOST_P99;
        report.add(Claim.atMost("P99" + end, "", ratio(count, each -> each.millisAt(99)), mostP99));
        report.add(Claim.atMost("P999 of the queue wait" + end, "", ratio(count, ThreadsCommand::waitP999), MOST_WAIT));
    }

    private static double waitP999(Measure measure) {
        return measure.figures().getOrDefault(ThreadsCase.WAIT_P999, Double.NaN);
    }

    private double ratio(int count, ToDoubleFunction<Measure> figure) {
        return measured.ratio(
                new ThreadsCase(count, SelectionPolicy.AFFINITY, virtual).name(),
                new ThreadsCase(count, SelectionPolicy.HASH, virtual).name(),
                Results.figure("task", figure));
    }
}
