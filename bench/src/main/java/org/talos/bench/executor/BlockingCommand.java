// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.talos.bench.engine.ExperimentOptions.inRange;
import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.Results;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures handlers that block on the threads of three models. Confined: the main thread. */
@Command(
        name = "blocking",
        description = "Requests whose handlers block for 50 us on average, at most 1 ms, over sockets: on the threads "
                + "of the sockets (io), in a pool with one queue (plain), and in the executor (hash, affinity; with "
                + "--virtual also with as many workers as there are by default: auto).")
public final class BlockingCommand extends ExperimentCommand {
    private static final int MOST_PROCESSES = 100;
    private static final int WARM_UP_TURNS = 16;
    private static final Duration SETTLING = Duration.ofMillis(100);
    private static final double LEAST_QPS = 0.95;
    private static final double MOST_P999 = 1;

    private static final double LEAST_AUTO_QPS = 1.4;
    private static final double MOST_AUTO_P999 = 0.8;
    /** With fewer, the plain pool has fewer threads than would wait for a processor. */
    private static final int FEWEST_FOR_AUTO = 20;

    private final Results measured = new Results();

    @Spec
    private CommandSpec spec = CommandSpec.create(); // set before it is run

    @Option(names = "--threads", split = ",", description = "That run handlers. Default: 10,20,30,40")
    private List<Integer> threads = List.of(10, 20, 30, 40);

    @Option(
            names = "--models",
            split = ",",
            description = "Default: io,plain,hash,affinity, with --virtual also auto; short: without io and hash")
    private List<HandlerModel> models = List.of();

    @Option(
            names = "--virtual",
            description = "The executor's workers are without threads of the kernel, on JDK 24 or newer.")
    private boolean virtual;

    @Option(names = "--connections", description = "Default: 10")
    private int connections = 10;

    @Option(names = "--in-flight", description = "Requests on each connection. Default: 100")
    private int inFlight = 100;

    @Option(names = "--warmup", description = "Seconds before, for the compilers of the JVM. Default: 8")
    private double warmUp = 8;

    @Option(names = "--seconds", description = "Measured, each case in each round. Default: 0.5")
    private double seconds = 0.5;

    @Option(
            names = "--processes",
            description = "Of each case, measured in turn: what its compilers make of the same code differs from one "
                    + "process to the next. They are there at once: six to fifteen of 768 MB. Default: 3")
    private int processes = 3;

    @Option(names = "--seed", description = "Seed of the delays. Default: 1")
    private long seed = 1;

    public BlockingCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("In about seven minutes, with --virtual ten: only models of which something is claimed")
                        .rounds("Of all models with this number of threads; the table has medians", 72, 42)
                        .jvm("JVM of the servers", "-Xms768m -Xmx768m -Xmn512m"));
    }

    @Override
    public Integer call() throws IOException, CommandException, InterruptedException {
        WithoutThreads.check(virtual, spec);
        if (models.isEmpty()) {
            models = options().isBrief() ? HandlerModel.claimed(virtual) : HandlerModel.all(virtual);
        }
        if (models.contains(HandlerModel.AUTO) && !virtual) {
            throw new ParameterException(spec.commandLine(), "--models: auto (expected: with --virtual)");
        }
        BlockingSettings settings = settings();
        RunReport report = RunReport.begin(context(), "blocking", settings.described());
        for (int count : settings.threads()) {
            measure(count, settings, report);
            report.write();
        }
        for (int count : settings.threads()) {
            claim(count, report);
        }
        return report.finish(report.table(), measured.unsound());
    }

    private BlockingSettings settings() throws CommandException {
        return new BlockingSettings(
                models,
                threads,
                virtual,
                connections,
                inFlight,
                duration(warmUp),
                duration(seconds),
                inRange("--processes", processes, 1, MOST_PROCESSES),
                options().rounds(),
                new BlockingDelays(Duration.ofNanos(50_000), Duration.ofMillis(1), seed),
                options().jvm());
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    /** All models at once, one under load: what else the machine does meets neighbors alike. */
    private void measure(int count, BlockingSettings settings, RunReport report)
            throws IOException, InterruptedException {
        List<BlockingCase> cases = new ArrayList<>();
        try {
            for (int process = 0; process < settings.processes(); process++) {
                for (HandlerModel model : settings.models()) {
                    cases.add(BlockingCase.start(
                            model, count, settings, report.folder().resolve("servers.log")));
                }
            }
            warmUp(cases, settings.warmUp());
            int models = settings.models().size();
            for (int round = 1; round <= settings.rounds(); round++) {
                int first = round % settings.processes() * models;
                for (BlockingCase each : cases.subList(first, first + models)) {
                    Measure measure = each.measure(round, SETTLING, settings.measured());
                    measured.add(measure);
                    report.add(measure);
                }
            }
        } finally {
            for (BlockingCase each : cases) {
                each.close();
            }
        }
        line("%d threads measured", count);
    }

    /**
     * In turns, as later: a pool that follows from what it measures is as it is under such a load, and none has rested
     * for long before its first round. Each turn connects and disconnects, or the first rounds would compile what that
     * compiled wrongly.
     */
    private static void warmUp(List<BlockingCase> cases, Duration each) throws IOException {
        for (int turn = 0; turn < WARM_UP_TURNS; turn++) {
            for (BlockingCase one : cases) {
                one.warmUp(each.dividedBy(WARM_UP_TURNS));
            }
        }
    }

    private void claim(int count, RunReport report) {
        if (!models.contains(HandlerModel.PLAIN)) {
            return;
        }
        if (models.contains(HandlerModel.AFFINITY)) {
            claimQps(HandlerModel.AFFINITY, count, LEAST_QPS, report);
            claimP999NotHigher(count, report);
        }
        if (models.contains(HandlerModel.AUTO) && count >= FEWEST_FOR_AUTO) {
            claimQps(HandlerModel.AUTO, count, LEAST_AUTO_QPS, report);
            report.add(Claim.atMost(
                    "P999 " + of(HandlerModel.AUTO, count),
                    "",
                    ratio(HandlerModel.AUTO, count, BlockingCommand::p999),
                    MOST_AUTO_P999));
        }
    }

    private void claimQps(HandlerModel model, int count, double least, RunReport report) {
        report.add(Claim.atLeast("QPS " + of(model, count), "", ratio(model, count, Measure::perSecond), least));
    }

    /** Of two that are alike, either is above the other by a few per cent in half of all runs: that says nothing. */
    private void claimP999NotHigher(int count, RunReport report) {
        double median = ratio(HandlerModel.AFFINITY, count, BlockingCommand::p999);
        double lowerEnd = measured.lowerEnd(
                BlockingCase.name(HandlerModel.AFFINITY, count),
                BlockingCase.name(HandlerModel.PLAIN, count),
                Results.figure(BlockingCase.OPERATION, BlockingCommand::p999));
        String text = format(
                "P999 %s: median %.2f, at the lower end of the interval", of(HandlerModel.AFFINITY, count), median);
        report.add(Claim.atMost(text, "", lowerEnd, MOST_P999));
    }

    private static String of(HandlerModel model, int count) {
        return format("of %s against the plain pool, %d threads", model, count);
    }

    private static double p999(Measure measure) {
        return measure.millisAt(99.9);
    }

    private double ratio(HandlerModel model, int count, ToDoubleFunction<Measure> figure) {
        return measured.ratio(
                BlockingCase.name(model, count),
                BlockingCase.name(HandlerModel.PLAIN, count),
                Results.figure(BlockingCase.OPERATION, figure));
    }
}
