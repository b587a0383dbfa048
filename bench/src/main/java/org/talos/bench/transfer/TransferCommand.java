// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.MeasuredServers;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.variant.TransferPools;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.launcher.local.ServerCertificates;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what requests between servers cost. Confined: the main thread. */
@Command(
        name = "transfer",
        description =
                "What a hop between servers adds to a put, in time and processor time, beside what a put straight "
                        + "to its owner takes; and one slow server among three, with one connection to each server, a pool "
                        + "for each and one for all. Starts HDFS, HBase, ZooKeeper and two servers on this machine.")
public final class TransferCommand extends ExperimentCommand {
    static final String CPU = "processor us";

    private static final Figure P50 = Results.middle(each -> each.millisAt(50));
    private static final Figure P99 = Results.middle(each -> each.millisAt(99));
    private static final Figure PROCESSOR = Results.middle(each -> each.figure(CPU));
    private static final double MOST_P99 = 1.25;
    private static final double LEAST_P99_SHARED = 2;

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

    @Option(names = "--tls", description = "The hop by itself under mutual TLS as well.")
    private boolean tls;

    @Option(names = "--alone", description = "Without whole servers and daemons: only the hop by itself and its pools.")
    private boolean alone;

    public TransferCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("Three rounds of shorter cases: under 3 minutes.")
                        .rounds("Of all cases; the table has medians", 5, 3)
                        .devCluster("Of a development cluster, which keeps running afterwards"));
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        choose();
        ExperimentRunner run = ExperimentRunner.begin(context(), "transfer", settings());
        Times times = Times.of(warmUp, seconds);
        if (!alone) {
            wholeServers(times, run);
        }
        List<Step> steps = standIns(new StandIns(times, bytes, inFlight), run.folder());
        return run.run(new InTurn(steps), options().rounds());
    }

    private void choose() {
        boolean brief = options().isBrief();
        warmUp = warmUp > 0 ? warmUp : brief ? 2 : 3;
        firstWarmUp = firstWarmUp > 0 ? firstWarmUp : brief ? 10 : 20;
        seconds = seconds > 0 ? seconds : brief ? 3 : 8;
    }

    private SortedMap<String, String> settings() throws CommandException {
        return new TreeMap<>(Map.of(
                "put bytes", Integer.toString(bytes),
                "puts in flight", Integer.toString(inFlight),
                "to the slow server", slowInFlight + ", each answered after " + StandIns.SLOW.toSeconds() + " s",
                "warm-up s", warmUp + ", before all " + firstWarmUp,
                "measured s", Double.toString(seconds),
                "rounds", Integer.toString(options().rounds())));
    }

    private void wholeServers(Times times, ExperimentRunner run)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        try (ClusterUnderLoad cluster =
                        ClusterUnderLoad.start(context().home(), options().devCluster(), run.folder());
                MeasuredServers servers = WholeServers.start(cluster)) {
            WholeServers whole = new WholeServers(servers, inFlight, bytes, times);
            whole.warmUp(Times.of(firstWarmUp, seconds));
            run.measure(
                    new InTurn(List.of(whole::straight, whole::forwarded)),
                    options().rounds());
        }
    }

    private List<Step> standIns(StandIns standIns, Path folder) throws IOException, InterruptedException {
        List<Step> steps = new ArrayList<>();
        steps.add(round -> standIns.local(round, work(), folder.resolve("server.log")));
        steps.add(standIns::forwarded);
        steps.add(standIns::pooled);
        if (tls) {
            ServerCertificates certificates = ServerCertificates.make(folder, List.of("127.0.0.1"));
            steps.add(round -> standIns.forwarded(round, certificates));
        }
        for (TransferPools pools : TransferPools.values()) {
            steps.add(round -> standIns.slowServer(pools, 0, round));
            steps.add(round -> standIns.slowServer(pools, slowInFlight, round));
        }
        return steps;
    }

    /** Measures one case once. */
    private interface Step {
        List<Measure> measure(int round)
                throws IOException, CommandException, TalosClientException, InterruptedException;
    }

    /** Cases that are measured one after another in each round. Immutable. */
    private record InTurn(List<Step> steps) implements Experiment<Step> {
        @Override
        public List<Step> cases(int round) {
            return steps;
        }

        @Override
        public List<Measure> measure(Step what, int round)
                throws IOException, TalosClientException, CommandException, InterruptedException {
            return what.measure(round);
        }

        @Override
        public String line(Step what, List<Measure> measured) {
            double rate = measured.stream().mapToDouble(Measure::perSecond).sum();
            return format("%s: %.0f puts/s", measured.get(0).caseName(), rate);
        }

        @Override
        public List<Claim> claims(Results results) {
            List<Claim> claims = new ArrayList<>();
            if (results.has(WholeServers.HOP)) {
                claims.add(added(results, "P50", P50));
                claims.add(added(results, "processor time", PROCESSOR));
            }
            claims.add(beside(results, "P50", P50));
            claims.add(beside(results, "processor time", PROCESSOR));
            for (TransferPools pools : TransferPools.values()) {
                claims.add(slow(results, pools));
            }
            return claims;
        }

        /** The cost of forwarding, relative to a request sent to the owner. */
        private static Claim added(Results results, String what, Figure figure) {
            double added = results.ratio(WholeServers.HOP, WholeServers.STRAIGHT, figure) - 1;
            return Claim.atMost(what + ", what a hop adds : a second put straight", "", added, 1);
        }

        private static Claim beside(Results results, String what, Figure figure) {
            double ratio = results.ratio(StandIns.HOP, StandIns.LOCAL, figure);
            return Claim.atMost(what + ", the hop alone : a put to the local store", "", ratio, 1);
        }

        private static Claim slow(Results results, TransferPools pools) {
            String text = "P99 of puts to others, with a slow server : without, " + StandIns.pools(pools);
            double ratio = results.ratio(StandIns.name(pools, true), StandIns.name(pools, false), P99);
            return pools == TransferPools.SHARED
                    ? Claim.atLeast(text, "", ratio, LEAST_P99_SHARED)
                    : Claim.atMost(text, "", ratio, MOST_P99);
        }

        /** A case may end without an answered put: all shared threads may be waiting for the slow server. */
        @Override
        public List<String> wrong(Results results) {
            return results.unsound(StandIns.name(TransferPools.SHARED, true));
        }
    }
}
