// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Reader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.apache.thrift.TException;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.Directories;
import org.talos.bench.load.ServerUnderLoad;
import org.talos.bench.load.SignedRequests;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Synchronous signed puts, one in flight for each partition, to the server at both durabilities and to a Jetty that
 * only reads them: what of the bare rate is left. Confined: the main thread.
 */
@Command(
        name = "floor",
        description = "Puts beside a bare Jetty that reads the same bodies.",
        mixinStandardHelpOptions = true)
final class FloorCommand implements Callable<Integer> {
    private static final int DISTINCT_REQUESTS = 4;
    private static final long SEED = 7;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--partitions", defaultValue = "120", description = "Puts in flight (${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--size", defaultValue = "10240", description = "Bytes of a message (${DEFAULT-VALUE}).")
    private int size;

    @Option(names = "--seconds", defaultValue = "30", description = "Of each case, counted (${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--warmup", defaultValue = "10", description = "Seconds before (${DEFAULT-VALUE}).")
    private int warmup;

    @Option(names = "--rounds", defaultValue = "1", description = "Times each case; medians count (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--out", defaultValue = "bench/target/reports", description = "Reports go here (${DEFAULT-VALUE}).")
    private Path reports = Path.of("bench/target/reports");

    /** What is measured. */
    private enum Case {
        BARE,
        FLUSH,
        FSYNC
    }

    /** A case's figures in one round. Immutable. */
    private record Figures(ClosedLoop.Result result, double serverCpuPerThousand) {}

    @Override
    public Integer call() throws Exception {
        Path folder = reports.resolve("floor-" + Instant.now().toString().replace(':', '-'));
        Files.createDirectories(folder);
        Map<Case, List<Figures>> all = new LinkedHashMap<>();
        boolean sound = true;
        for (int round = 0; round < rounds; round++) {
            for (Case each : Case.values()) {
                spec.commandLine().getErr().println("round " + (round + 1) + " of " + rounds + ": " + each);
                Figures figures = each == Case.BARE ? bare(folder) : server(each, folder);
                sound &= figures.result.failed() == 0;
                all.computeIfAbsent(each, any -> new ArrayList<>()).add(figures);
            }
        }
        report(all, folder);
        return sound ? 0 : 1;
    }

    private Figures bare(Path folder) throws Exception {
        try (ServerUnderLoad server = ServerUnderLoad.start(
                BareServer.class.getName(), List.of("-Xmx1g"), Map.of(), folder.resolve("bare.log"))) {
            TalosEndpoint nobody = new TalosEndpoint(server.uri(), "AKBENCH", "no-secret-at-all");
            TopicDescription topic =
                    new TopicDescription("floor", "bench#floor#" + "0".repeat(32), "bench", partitions, 0);
            return measure(server, requests(nobody, topic), (status, connection) -> status == 200);
        }
    }

    private Figures server(Case each, Path folder) throws Exception {
        Path data = Files.createTempDirectory("talos-floor");
        Map<String, String> settings = new HashMap<>();
        settings.put("TALOS_DATADIRECTORY", data.toString());
        settings.put("TALOS_HTTP_PORT", "0");
        settings.put("TALOS_LOG_DURABILITY", each.name().toLowerCase(Locale.ROOT));
        settings.put("TALOS_METRICSLOGINTERVAL", Integer.toString(Math.max(1, warmup + seconds)) + "s");
        try (ServerUnderLoad server = ServerUnderLoad.start(
                "org.talos.server.Main",
                List.of("-Xmx2g"),
                settings,
                folder.resolve(each.name().toLowerCase(Locale.ROOT) + ".log"))) {
            TalosEndpoint endpoint = endpoint(server.uri(), data);
            TalosAdmin admin = new TalosAdmin(endpoint);
            TopicDescription topic = admin.createTopic("floor", partitions, 86_400);
            Figures figures = measure(
                    server,
                    requests(endpoint, topic),
                    // The answer's struct begins behind the method's name; field 0 there is success.
                    (status, connection) -> status == 200 && connection.bodyByte(14) == 0x0c);
            checkStored(admin, topic, figures.result.acknowledged());
            return figures;
        } finally {
            Directories.remove(data);
        }
    }

    private static void checkStored(TalosAdmin admin, TopicDescription topic, long acknowledged)
            throws TalosClientException, IOException {
        long stored =
                admin.offsets(topic).stream().mapToLong(each -> each.end() + 1).sum();
        if (stored != acknowledged) {
            throw new IOException(
                    "stored " + stored + " messages (expected: " + acknowledged + ", the acknowledged ones)");
        }
    }

    private static TalosEndpoint endpoint(URI uri, Path data) throws IOException {
        Properties credentials = new Properties();
        try (Reader in = Files.newBufferedReader(data.resolve("admin.credentials"))) {
            credentials.load(in);
        }
        return new TalosEndpoint(
                uri,
                String.valueOf(credentials.getProperty("accessKey")),
                String.valueOf(credentials.getProperty("secretKey")),
                Duration.ofSeconds(60));
    }

    private List<List<byte[]>> requests(TalosEndpoint endpoint, TopicDescription topic) throws TException {
        SplittableRandom random = new SplittableRandom(SEED);
        List<List<byte[]>> all = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            List<byte[]> mine = new ArrayList<>();
            for (int i = 0; i < DISTINCT_REQUESTS; i++) {
                mine.add(SignedRequests.put(endpoint, topic, partition, size, random));
            }
            all.add(mine);
        }
        return all;
    }

    private Figures measure(ServerUnderLoad server, List<List<byte[]>> requests, ClosedLoop.Check check)
            throws InterruptedException {
        List<Duration> cpu = new ArrayList<>();
        ClosedLoop.Result result =
                new ClosedLoop(server.uri(), requests, check).run(warmup, seconds, () -> cpu.add(server.cpu()));
        double used = cpu.get(1).minus(cpu.get(0)).toNanos() / 1e9;
        return new Figures(
                result, used * 1_000 / Math.max(1, result.latencyNanos().getTotalCount()));
    }

    private void report(Map<Case, List<Figures>> all, Path folder) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        StringBuilder csv =
                new StringBuilder("case,puts_per_s,mean_ms,p50_ms,p99_ms,p999_ms,server_cpu_s_per_1000,failed\n");
        out.printf(
                "%d partitions, %d bytes, %d s after %d s, %d round(s), medians%n",
                partitions, size, seconds, warmup, rounds);
        out.println("case       puts/s   mean ms    P50 ms    P99 ms   P999 ms  server CPU s/1000  errors  of bare");
        double bare = middle(all.getOrDefault(Case.BARE, List.of())).result.rate();
        for (Map.Entry<Case, List<Figures>> entry : all.entrySet()) {
            Object[] row = row(entry.getKey(), entry.getValue(), bare);
            out.printf(Locale.ROOT, "%-7s %9.0f %9.2f %9.2f %9.2f %9.2f %18.3f %7d %8.2f%n", row);
            csv.append(String.format(Locale.ROOT, "%s,%.0f,%.3f,%.3f,%.3f,%.3f,%.4f,%d%n", row));
            try (PrintStream hdr =
                    new PrintStream(folder.resolve(row[0] + ".hgrm").toFile(), StandardCharsets.UTF_8)) {
                middle(entry.getValue()).result.latencyNanos().outputPercentileDistribution(hdr, 1e6);
            }
        }
        Files.writeString(folder.resolve("floor.csv"), csv);
        Files.writeString(folder.resolve("settings.txt"), settings());
        out.println("report: " + folder);
    }

    private static Object[] row(Case of, List<Figures> rounds, double bare) {
        Figures middle = middle(rounds);
        Histogram latency = middle.result.latencyNanos();
        return new Object[] {
            of.name().toLowerCase(Locale.ROOT),
            middle.result.rate(),
            latency.getMean() / 1e6,
            latency.getValueAtPercentile(50) / 1e6,
            latency.getValueAtPercentile(99) / 1e6,
            latency.getValueAtPercentile(99.9) / 1e6,
            middle.serverCpuPerThousand,
            rounds.stream().mapToLong(each -> each.result.failed()).sum(),
            middle.result.rate() / bare
        };
    }

    private String settings() {
        return "java " + Runtime.version() + "\nprocessors "
                + Runtime.getRuntime().availableProcessors() + "\npartitions "
                + partitions + "\nsize " + size + "\nseconds " + seconds + "\nwarmup " + warmup + "\nrounds " + rounds
                + "\nseed " + SEED + "\n";
    }

    /** The round of the middle rate. */
    private static Figures middle(List<Figures> rounds) {
        List<Figures> byRate = rounds.stream()
                .sorted((one, other) -> Double.compare(one.result.rate(), other.result.rate()))
                .toList();
        return byRate.get(byRate.size() / 2);
    }
}
