// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.bench.variant.TransferPools;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.launcher.local.ServerCertificates;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures requests between servers: the cost of a forwarded put compared with a put sent to the owner, and the effect
 * of one slow server on the requests for others.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "transfer",
        description =
                "What a hop between servers adds to a put, in time and processor time, beside what a put straight "
                        + "to its owner takes; and one slow server among three, with one connection to each server, a pool "
                        + "for each and one for all. Starts HDFS, HBase, ZooKeeper and two servers on this machine.",
        mixinStandardHelpOptions = true)
public final class TransferCommand implements Callable<Integer> {
    static final String CPU = "processor us";

    private static final double MOST_P99 = 1.25;
    private static final double LEAST_P99_SHARED = 2;

    private final CommandContext context;
    private final List<Measure> all = new ArrayList<>();

    @Option(names = "--short", description = "Three rounds of shorter cases: under 3 minutes.")
    private boolean brief;

    @Option(names = "--bytes", description = "Of a put. Default: 10240")
    private int bytes = 10_240;

    @Option(names = "--in-flight", description = "Puts to a server at the same time. Default: 8")
    private int inFlight = 8;

    @Option(names = "--slow-in-flight", description = "Puts to the slow server at the same time. Default: 400")
    private int slowInFlight = 400;

    @Option(names = "--warmup", description = "Seconds before each measure. Default: 3, with --short 2")
    private double warmUp;

    @Option(names = "--first-warmup", description = "Seconds before all, each way. Default: 20, with --short 10")
    private double firstWarmUp;

    @Option(names = "--seconds", description = "Measured, each case in each round. Default: 8, with --short 3")
    private double seconds;

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 5, with --short 3")
    private int rounds;

    @Option(
            names = "--devcluster",
            paramLabel = "DIR",
            description =
                    "Of a development cluster, which keeps running afterwards. Default: one that is started and ended")
    private Optional<Path> devCluster = Optional.empty();

    @Option(names = "--tls", description = "The hop by itself under mutual TLS as well.")
    private boolean tls;

    @Option(names = "--alone", description = "Without whole servers and daemons: only the hop by itself and its pools.")
    private boolean alone;

    /** Returns the command. */
    public TransferCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        choose();
        RunReport report = RunReport.begin(context, "transfer", settings());
        Times times = Times.of(warmUp, seconds);
        if (!alone) {
            wholeServers(times, report);
        }
        standIns(new StandIns(times, bytes, inFlight), report);
        claims().forEach(report::add);
        report.write();
        report.print();
        return all.stream().allMatch(each -> each.failed() == 0 && (each.succeeded() > 0 || mayStandStill(each)))
                ? 0
                : 1;
    }

    /**
     * Returns whether this case may end without an answered put: all shared threads may be waiting for the slow server.
     */
    private static boolean mayStandStill(Measure measure) {
        return measure.caseName().equals(StandIns.name(TransferPools.SHARED, true));
    }

    private void choose() {
        warmUp = warmUp > 0 ? warmUp : brief ? 2 : 3;
        firstWarmUp = firstWarmUp > 0 ? firstWarmUp : brief ? 10 : 20;
        seconds = seconds > 0 ? seconds : brief ? 3 : 8;
        rounds = rounds > 0 ? rounds : brief ? 3 : 5;
    }

    private SortedMap<String, String> settings() {
        return new TreeMap<>(Map.of(
                "put bytes", Integer.toString(bytes),
                "puts in flight", Integer.toString(inFlight),
                "to the slow server", slowInFlight + ", each answered after " + StandIns.SLOW.toSeconds() + " s",
                "warm-up s", warmUp + ", before all " + firstWarmUp,
                "measured s", Double.toString(seconds),
                "rounds", Integer.toString(rounds)));
    }

    private void add(RunReport report, Measure measure) {
        all.add(measure);
        report.add(measure);
    }

    private void wholeServers(Times times, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        ClusterUnderLoad cluster = ClusterUnderLoad.start(context.home(), devCluster, report.folder());
        try (WholeServers servers = WholeServers.start(cluster, inFlight, bytes, times)) {
            servers.warmUp(Times.of(firstWarmUp, seconds));
            for (int round = 1; round <= rounds; round++) {
                add(report, servers.straight(round));
                add(report, servers.forwarded(round));
                ended("two servers", round, report);
            }
        }
    }

    private void standIns(StandIns standIns, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Path work = RunFolder.work(context.home());
        for (int round = 1; round <= rounds; round++) {
            add(report, standIns.local(round, work, report.folder().resolve("server.log")));
            add(report, standIns.forwarded(round));
            add(report, standIns.pooled(round));
            if (tls) {
                add(report, standIns.forwarded(round, ServerCertificates.make(report.folder(), List.of("127.0.0.1"))));
            }
            for (TransferPools pools : TransferPools.values()) {
                standIns.slowServer(pools, 0, round).forEach(each -> add(report, each));
                standIns.slowServer(pools, slowInFlight, round).forEach(each -> add(report, each));
            }
            ended("the hop alone, and a slow server", round, report);
        }
    }

    private void ended(String what, int round, RunReport report) throws IOException {
        report.write();
        context.line(String.format(Locale.ROOT, "%s: round %d of %d", what, round, rounds));
    }

    private List<Claim> claims() {
        ToDoubleFunction<Measure> p50 = each -> each.millisAt(50);
        List<Claim> claims = new ArrayList<>();
        if (!alone) {
            claims.add(added("P50", p50));
            claims.add(added("processor time", TransferCommand::cpu));
        }
        claims.add(
                atMostOne("P50, the hop alone : a put to the local store", ratio(StandIns.HOP, StandIns.LOCAL, p50)));
        claims.add(atMostOne(
                "processor time, the hop alone : a put to the local store",
                ratio(StandIns.HOP, StandIns.LOCAL, TransferCommand::cpu)));
        for (TransferPools pools : TransferPools.values()) {
            String text = "P99 of puts to others, with a slow server : without, " + StandIns.pools(pools);
            double ratio = ratio(StandIns.name(pools, true), StandIns.name(pools, false), each -> each.millisAt(99));
            claims.add(
                    pools == TransferPools.SHARED
                            ? Claim.atLeast(text, "", ratio, LEAST_P99_SHARED)
                            : Claim.atMost(text, "", ratio, MOST_P99));
        }
        return claims;
    }

    /** The cost of forwarding, relative to a request sent to the owner. */
    private Claim added(String what, ToDoubleFunction<Measure> figure) {
        double added = ratio(WholeServers.HOP, WholeServers.STRAIGHT, figure) - 1;
        return atMostOne(what + ", what a hop adds : a second put straight", added);
    }

    private static Claim atMostOne(String text, double ratio) {
        return Claim.atMost(text, "", ratio, 1);
    }

    private static double cpu(Measure measure) {
        return measure.figures().getOrDefault(CPU, Double.NaN);
    }

    /** The median of the ratios within each round. */
    private double ratio(String of, String to, ToDoubleFunction<Measure> figure) {
        double[] sorted = IntStream.rangeClosed(1, rounds)
                .mapToDouble(round -> median(round, of, figure) / median(round, to, figure))
                .sorted()
                .toArray();
        return middle(sorted);
    }

    private double median(int round, String caseName, ToDoubleFunction<Measure> figure) {
        return middle(all.stream()
                .filter(each -> each.round() == round && each.caseName().equals(caseName))
                .mapToDouble(figure)
                .sorted()
                .toArray());
    }

    private static double middle(double[] sorted) {
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
