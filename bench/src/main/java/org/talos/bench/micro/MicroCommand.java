// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.ShutdownHooks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs micro-benchmarks, each in JVMs of its own, and keeps their figures. Confined: the main thread. */
@Command(
        name = "micro",
        description = "Times of single steps, by JMH: the executor's submit-to-run (SubmitToRun), blocks (BlockCodec), "
                + "signatures (Signing), a log's append and read (LogAppend, LogRead). All of them take 20 minutes.")
public final class MicroCommand extends ExperimentCommand {
    private static final String HEAP = "1g";
    private static final String TABLE = "results.txt";

    @Parameters(
            arity = "0..*",
            paramLabel = "PATTERN",
            description = "Regular expressions, found in org.talos.bench.micro.CLASS.method. Default: all")
    private List<String> patterns = List.of();

    @Option(names = "--forks", description = "JVMs each; 0: this one, which tells little. Default: 3; short: 1")
    private Optional<Integer> forks = Optional.empty();

    @Option(names = "--warmups", description = "Iterations before, in each fork. Default: 3; short: 2")
    private Optional<Integer> warmUps = Optional.empty();

    @Option(names = "--iterations", description = "Measured iterations in each fork. Default: 5; short: 3")
    private Optional<Integer> iterations = Optional.empty();

    @Option(names = "--millis", description = "Length of an iteration. Default: 1000; short: 500")
    private Optional<Integer> millis = Optional.empty();

    @Option(names = "--allocations", description = "Prints the allocated bytes of each operation too")
    private boolean allocations;

    public MicroCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("One fork and half a second each, for a first look: 3 minutes in all")
                        .data("Where logs are while measured"));
    }

    @Override
    public Integer call() throws IOException, CommandException {
        RunReport report = RunReport.begin(context(), "micro", described());
        Path parent = Files.createDirectories(work());
        Path work = Files.createTempDirectory(parent, "micro-");
        ShutdownHooks.onExit("end-micro", () -> Folders.delete(work)); // what a fork that was killed has left
        try {
            PrintStream out = new PrintStream(context().out(), true, StandardCharsets.UTF_8);
            Collection<RunResult> results =
                    new Runner(options(work), OutputFormatFactory.createFormatInstance(out, VerboseMode.NORMAL)).run();
            write(results, ResultFormatType.TEXT, report.folder().resolve(TABLE));
            write(results, ResultFormatType.JSON, report.folder().resolve("results.json"));
        } catch (NoBenchmarksException e) {
            throw new CommandException("no benchmark matches " + patterns, e);
        } catch (RunnerException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } finally {
            Folders.delete(work);
        }
        context().line("report: " + report.folder());
        return 0;
    }

    private Options options(Path work) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .forks(forks())
                .warmupIterations(warmUps())
                .measurementIterations(iterations())
                .warmupTime(TimeValue.milliseconds(millis()))
                .measurementTime(TimeValue.milliseconds(millis()))
                .jvmArgs(
                        "-Xms" + HEAP,
                        "-Xmx" + HEAP,
                        "-Dtalos.log.level=WARN",
                        "-D" + LogOnDisk.DATA_PROPERTY + "=" + work)
                .shouldFailOnError(true);
        (patterns.isEmpty() ? List.of(getClass().getPackageName() + "\\.") : patterns).forEach(options::include);
        if (allocations) {
            options.addProfiler(GCProfiler.class);
        }
        return options.build();
    }

    private int forks() {
        return forks.orElse(options().isBrief() ? 1 : 3);
    }

    private int warmUps() {
        return warmUps.orElse(options().isBrief() ? 2 : 3);
    }

    private int iterations() {
        return iterations.orElse(options().isBrief() ? 3 : 5);
    }

    private int millis() {
        return millis.orElse(options().isBrief() ? 500 : 1_000);
    }

    private SortedMap<String, String> described() {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("patterns", patterns.isEmpty() ? "all" : String.join(" ", patterns));
        settings.put("forks", Integer.toString(forks()));
        settings.put("warm-up iterations", Integer.toString(warmUps()));
        settings.put("measured iterations", Integer.toString(iterations()));
        settings.put("iteration ms", Integer.toString(millis()));
        settings.put("heap of a fork", HEAP);
        return settings;
    }

    private static void write(Collection<RunResult> results, ResultFormatType type, Path file) {
        ResultFormatFactory.getInstance(type, file.toString()).writeOut(results);
    }
}
