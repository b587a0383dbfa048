// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.launcher.local.ShutdownHooks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the throughput of bodies by size, clients, and delay. Confined: the main thread. */
@Command(
        name = "payload",
        description =
                "Puts of 1 KiB to 180 MiB with 0, 1 and 10 ms of added delay, one in flight for each client: in signed "
                        + "Thrift calls and as raw bodies over REST, up to 64 MiB; over streams with windows of 2 and 32 MiB, "
                        + "what is larger than half of one as consecutive messages; and the same bytes by iperf3, where it "
                        + "is on the path. The delay is netem's where a network namespace and netem can be had, else a relay's.")
public final class PayloadCommand extends ExperimentCommand {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LARGEST_KIB = 180 << 10;
    private static final List<Integer> SIZES = List.of(1, 16, 256, 1_024, 4_096, 8_192, 16_384, 32_768, LARGEST_KIB);
    private static final List<Integer> FEW_SIZES = List.of(1, 256, 1_024, 4_096, 32_768);
    private static final List<Integer> CLIENTS = List.of(1, 2, 4);
    private static final List<Integer> FEW_CLIENTS = List.of(1, 4);
    private static final List<Integer> DELAYS = List.of(0, 1, 10);
    private static final List<Integer> WINDOWS = List.of(2 << 20, 32 << 20);
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long MEMORY_NEEDED = 4L << 30;
    private static final long END_SECONDS = 60;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "KIB",
            description = "Default: 1,16,256,1024,4096,8192,16384,32768,184320; short: 1,256,1024,4096,32768")
    private List<Integer> sizes = List.of();

    @Option(names = "--clients", split = ",", description = "Default: 1,2,4; short: 1,4")
    private List<Integer> clients = List.of();

    @Option(
            names = "--delays",
            split = ",",
            paramLabel = "MS",
            description = "Milliseconds in each direction. Default: 0,1,10")
    private List<Integer> delays = List.of();

    @Option(names = "--seconds", description = "Measured, each figure. Default: 3; short: 1")
    private Optional<Double> seconds = Optional.empty();

    @Option(names = "--warmup", description = "Seconds before. Default: 1; short: 0.25")
    private Optional<Double> warmUp = Optional.empty();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Where the server keeps data. Default: /dev/shm where it has 4 GiB free, so that not the disk "
                            + "is measured; else bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(names = "--seed", description = "Seed of the messages. Default: 1")
    private long seed = 1;

    public PayloadCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("Fewer sizes and clients, for less time: about 5 minutes")
                        .jvm("JVM of the server", "-Xms3g -Xmx3g -XX:+AlwaysPreTouch"));
    }

    @Override
    public Integer call() throws IOException, CommandException, InterruptedException {
        Network network = Network.best();
        PayloadSettings settings = settings(network);
        RunReport report = RunReport.begin(context(), "payload", settings.described(network));
        PayloadResults results = new PayloadResults(figures(settings, network, report.folder()), settings);
        results.measures().forEach(report::add);
        results.claims().forEach(report::add);
        return report.finish(report.table(), results.wrong());
    }

    private PayloadSettings settings(Network network) throws IOException, CommandException {
        boolean brief = options().isBrief();
        List<Integer> kibibytes = chosen("sizes", sizes, brief ? FEW_SIZES : SIZES, 1, LARGEST_KIB);
        double warm = warmUp.orElse(brief ? 0.25 : 1.0);
        double measured = seconds.orElse(brief ? 1.0 : 3.0);
        return new PayloadSettings(
                kibibytes.stream().map(each -> each << 10).toList(),
                chosen("clients", clients, brief ? FEW_CLIENTS : CLIENTS, 1, 64),
                chosen("delays", delays, DELAYS, 0, 1_000),
                (long) (warm * 1_000),
                (long) (measured * 1_000),
                data.orElse(hasMemory() ? MEMORY : work()).toAbsolutePath().toString(),
                options().jvm(),
                seed,
                Iperf3.present(),
                network == Network.NETEM,
                WINDOWS);
    }

    private static List<Integer> chosen(String name, List<Integer> given, List<Integer> preset, int least, int most)
            throws CommandException {
        for (int each : given) {
            inRange("--" + name, each, least, most);
        }
        return given.isEmpty() ? preset : given;
    }

    private static boolean hasMemory() throws IOException {
        return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= MEMORY_NEEDED;
    }

    private List<PayloadFigures> figures(PayloadSettings settings, Network network, Path folder)
            throws IOException, CommandException, InterruptedException {
        Path log = folder.resolve("sweep.log");
        Process sweep = new ProcessBuilder(network.around(command(settings, folder)))
                .redirectError(log.toFile())
                .start();
        ShutdownHooks.onExit("end-sweep", () -> end(sweep));
        List<PayloadFigures> figures = new ArrayList<>();
        try (BufferedReader out = sweep.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                PayloadFigures one = JSON.readValue(line, PayloadFigures.class);
                figures.add(one);
                line(
                        "%3d of %d: %s, %s: %.1f MB/s",
                        figures.size(),
                        settings.figures(),
                        one.cell().label(settings.netem()),
                        one.carrier(),
                        one.megabytesPerSecond());
            }
        } finally {
            end(sweep);
        }
        if (sweep.waitFor() != 0) {
            throw new CommandException("the sweep has ended early: see " + log);
        }
        return figures;
    }

    /** Keeps messages of the JVM itself out of the figures. */
    private static List<String> command(PayloadSettings settings, Path folder) throws IOException {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx2g",
                "-XX:+DisplayVMOutputToStderr",
                "-cp",
                System.getProperty("java.class.path"),
                SweepProcess.class.getName(),
                JSON.writeValueAsString(settings),
                folder.toString());
    }

    private static void end(Process sweep) {
        sweep.destroy();
        sweep.onExit().completeOnTimeout(sweep, END_SECONDS, TimeUnit.SECONDS).join();
    }
}
