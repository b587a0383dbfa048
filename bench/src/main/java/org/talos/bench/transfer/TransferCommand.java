// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.server.Main;
import org.talos.server.config.TransferPools;
import org.talos.server.transfer.PartitionRequests;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Requests between servers: what a hop costs beside a put that goes straight to its owner, and what one slow server
 * does to the requests for others.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "transfer",
        description = "A hop between servers against a put straight to its owner, in time and processor time; and one "
                + "slow server among three, with a pool for each server and with one for all.",
        mixinStandardHelpOptions = true)
public final class TransferCommand implements Callable<Integer> {
    private static final int RETENTION_SECONDS = 86_400;
    private static final Duration SLOW = Duration.ofSeconds(5);
    private static final double MOST_P99 = 1.25;
    private static final double LEAST_P99_SHARED = 2;
    private static final String CPU = "processor us";
    private static final String DIRECT = "straight to the owner";
    private static final String HOP = "the hop alone";

    private final Surroundings surroundings;
    private final List<Measure> all = new ArrayList<>();

    @Option(names = "--bytes", description = "Of a put. Default: 10240")
    private int bytes = 10_240;

    @Option(names = "--in-flight", description = "Puts to a server at the same time. Default: 8")
    private int inFlight = 8;

    @Option(names = "--slow-in-flight", description = "Puts to the slow server at the same time. Default: 400")
    private int slowInFlight = 400;

    @Option(names = "--warmup", description = "Seconds before each measure. Default: 3")
    private double warmUp = 3;

    @Option(names = "--seconds", description = "Measured, each case in each round. Default: 10")
    private double seconds = 10;

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 3")
    private int rounds = 3;

    /** The command. */
    public TransferCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        RunReport report = RunReport.begin(surroundings, "transfer", settings());
        for (int round = 1; round <= rounds; round++) {
            add(report, direct(round, report));
            add(report, hop(round));
            for (TransferPools pools : TransferPools.values()) {
                slowServer(pools, false, round, report);
                slowServer(pools, true, round, report);
            }
            report.write();
            surroundings.line("round %d of %d".formatted(round, rounds));
        }
        ToDoubleFunction<Measure> p99 = each -> each.millisAt(99);
        String text = "P99 of puts to others, with a slow server : without, ";
        report.add(Claim.atMost(
                "P50 of the hop : of a put straight to its owner",
                "",
                ratio(HOP, DIRECT, each -> each.millisAt(50)),
                1));
        report.add(Claim.atMost(
                "processor time of the hop : of a put straight to its owner", "", ratio(HOP, DIRECT, this::cpu), 1));
        for (TransferPools pools : TransferPools.values()) {
            double ratio = ratio(name(pools, true), name(pools, false), p99);
            report.add(
                    pools == TransferPools.PER_HOST
                            ? Claim.atMost(text + pools(pools), "", ratio, MOST_P99)
                            : Claim.atLeast(text + pools(pools), "", ratio, LEAST_P99_SHARED));
        }
        report.write();
        report.print();
        return all.stream().allMatch(each -> each.failed() == 0 && each.succeeded() > 0) ? 0 : 1;
    }

    private SortedMap<String, String> settings() {
        return new TreeMap<>(Map.of(
                "put bytes", Integer.toString(bytes),
                "puts in flight", Integer.toString(inFlight),
                "to the slow server", slowInFlight + ", each answered after " + SLOW.toSeconds() + " s",
                "warm-up s", Double.toString(warmUp),
                "measured s", Double.toString(seconds),
                "rounds", Integer.toString(rounds)));
    }

    private void add(RunReport report, Measure measure) {
        all.add(measure);
        report.add(measure);
    }

    /** The whole of a put: signature, decoding, dispatch, journal; processor time is the server's alone. */
    private Measure direct(int round, RunReport report) throws IOException, CommandException, TalosClientException {
        try (MeasuredServer server = MeasuredServer.start(
                Main.class,
                List.of("-Xmx1g"),
                Map.of("LOG_DURABILITY", "flush"),
                surroundings.home().resolve("bench/target"),
                report.folder().resolve("server.log"))) {
            TalosEndpoint endpoint = server.endpoint();
            TopicDescription topic =
                    new TalosAdmin(new TalosClient(endpoint)).createTopic("transfer", inFlight, RETENTION_SECONDS);
            Credential credential = new Credential(endpoint.accessKey(), endpoint.secretKey());
            String host = server.uri().getHost() + ":" + server.uri().getPort();
            List<SignedPuts> puts = SignedPuts.toAll(topic, host, credential, bytes, round);
            Observed observed = new Observed(server);
            LoadResult result = new PutGetLoad(server.uri(), duration(warmUp), duration(seconds))
                    .add("put", puts, 0)
                    .run(observed)
                    .get("put");
            if (result == null) {
                throw new IOException("nothing was measured");
            }
            double cpu = observed.cpuSeconds() * 1e6 / result.latency().getTotalCount();
            return result.measure(DIRECT, round, "put", new TreeMap<>(Map.of(CPU, cpu)));
        }
    }

    /** What a hop adds to a put: both its ends, of which the processor time is that of this process. */
    private Measure hop(int round) throws IOException, InterruptedException {
        try (Servers servers = new Servers(TransferPools.PER_HOST)) {
            PutsInFlight puts = new PutsInFlight(servers.answeringAfter(Duration.ZERO), bytes);
            puts.begin(inFlight);
            Thread.sleep(duration(warmUp).toMillis());
            puts.measure();
            long cpu = -processCpuNanos();
            Thread.sleep(duration(seconds).toMillis());
            cpu += processCpuNanos();
            double each = cpu / 1e3 / puts.measured();
            return puts.end(HOP, round, "put", seconds, new TreeMap<>(Map.of(CPU, each)));
        }
    }

    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** Puts to two servers that answer at once, while a third has none, or many and is slow. */
    private void slowServer(TransferPools pools, boolean slow, int round, RunReport report)
            throws IOException, InterruptedException {
        try (Servers servers = new Servers(pools)) {
            PartitionRequests third = servers.answeringAfter(SLOW);
            List<PutsInFlight> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                others.add(new PutsInFlight(servers.answeringAfter(Duration.ZERO), bytes));
            }
            if (slow) {
                new PutsInFlight(third, bytes).begin(slowInFlight);
            }
            others.forEach(each -> each.begin(inFlight));
            Thread.sleep(duration(warmUp).toMillis());
            others.forEach(PutsInFlight::measure);
            Thread.sleep(duration(seconds).toMillis());
            for (int i = 0; i < others.size(); i++) {
                String operation = "put to server " + (i + 1);
                add(report, others.get(i).end(name(pools, slow), round, operation, seconds, new TreeMap<>()));
            }
        }
    }

    private static String pools(TransferPools pools) {
        return pools == TransferPools.PER_HOST ? "a pool for each" : "one pool for all";
    }

    private static String name(TransferPools pools, boolean slow) {
        return pools(pools) + (slow ? ", one slow" : ", none slow");
    }

    private double cpu(Measure measure) {
        return measure.figures().getOrDefault(CPU, Double.NaN);
    }

    /** Of medians over the rounds. */
    private double ratio(String of, String to, ToDoubleFunction<Measure> figure) {
        return median(of, figure) / median(to, figure);
    }

    private double median(String caseName, ToDoubleFunction<Measure> figure) {
        double[] sorted = all.stream()
                .filter(each -> each.caseName().equals(caseName))
                .mapToDouble(figure)
                .sorted()
                .toArray();
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
