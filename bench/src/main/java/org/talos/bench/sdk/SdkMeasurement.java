// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Option;

/**
 * Options of {@code bench run --sdk}, and what it does: puts messages by the SDK's producer, reads all back by its
 * consumers, and the same with Kafka's, or under TLS.
 *
 * <p>Confined: the main thread.
 */
public final class SdkMeasurement {
    private static final int LEAST_SIZE = 8; // a message begins with its number
    private static final int MOST_SIZE = 1 << 20;

    @Option(
            names = "--sdk",
            description =
                    "Measure the SDK's producer and consumer instead, beside Kafka's client against Kafka. Of the "
                            + "options above --rounds counts. Default: 3 rounds")
    private boolean sdk;

    @Option(names = "--short", description = "With --sdk: one round of 64 MiB, for a quick look")
    private boolean brief;

    @Option(
            names = "--sdk-threads",
            split = ",",
            description = "With --sdk: threads that put, and consumers that get, 1 to 16. Default: 1,16")
    private List<Integer> threads = List.of(1, 16);

    @Option(names = "--sdk-sizes", split = ",", description = "With --sdk: bytes of a message. Default: 1024,10240")
    private List<Integer> sizes = List.of(1_024, 10_240);

    @Option(
            names = "--sdk-mib",
            description = "With --sdk: MiB put and got in each case, once to warm up, once measured. Default: 256; "
                    + "short: 64")
    private Optional<Integer> mebibytes = Optional.empty();

    @Option(names = "--sdk-tls", description = "With --sdk: Talos with TLS and without, instead of beside Kafka")
    private boolean tls;

    @Option(
            names = "--kafka",
            paramLabel = "KEY=VALUE",
            description = "With --sdk: for Kafka's producer, which has its defaults otherwise: batch.size=1048576")
    private Map<String, String> kafka = new HashMap<>();

    /** Without {@code --sdk}, nothing is measured here. */
    public SdkMeasurement() {}

    /** Returns whether {@code --sdk} was given. */
    public boolean isAsked() {
        return sdk;
    }

    /**
     * Measures and leaves a report.
     *
     * @throws IOException a process failed, or a message was lost
     */
    public int run(CommandContext context, Optional<Integer> rounds)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        SdkSettings settings = settings(context.home(), rounds);
        if (settings.kafkaJars().isEmpty() && !tls) {
            context.line("Talos alone: Kafka's jars are in the source tree only, once bench is built");
        }
        ExperimentRunner run = ExperimentRunner.begin(context, "sdk", settings.described());
        return run.run(new SdkExperiment(settings, run.folder()), settings.rounds());
    }

    private SdkSettings settings(Path home, Optional<Integer> rounds) throws CommandException {
        List<SdkCase> cases = new ArrayList<>();
        for (int each : threads) {
            for (int size : sizes) {
                cases.add(new SdkCase(
                        inRange("--sdk-threads", each, 1, SdkSettings.PARTITIONS),
                        inRange("--sdk-sizes", size, LEAST_SIZE, MOST_SIZE)));
            }
        }
        return new SdkSettings(
                cases,
                (long) inRange("--sdk-mib", mebibytes.orElse(brief ? 64 : 256), 1, 1 << 20) << 20,
                inRange("--rounds", rounds.orElse(brief ? 1 : 3), 1, 100),
                tls,
                kafka,
                kafkaJars(home),
                RunFolder.work(home));
    }

    /** Beside this module's own, in the source tree. */
    private static Optional<Path> kafkaJars(Path home) {
        Path target = home.resolve("bench").resolve("kafka").resolve("target");
        return Files.isDirectory(target.resolve("lib")) ? Optional.of(target) : Optional.empty();
    }
}
