// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.engine.Results;
import org.talos.bench.experiment.VersionOnCluster.Via;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.FilledTopic;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MeasuredServers;
import org.talos.bench.load.Observable;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Repeats the experiment of the Talos 2.1.6 report. Confined: the main thread. */
@Command(
        name = "talos216",
        description = "The Talos 2.1.6 report: threads by hash (2.1.5), by affinity (2.1.6), with more Jetty workers "
                + "(2.1.6-new), and without any that wait (ours), over a store as slow as HDFS and over the local one; "
                + "or with several servers on real HDFS, HBase and ZooKeeper on this machine.")
public final class Talos216Command extends ExperimentCommand {
    static final int PARTITIONS = 120;
    static final int KEPT = 20;
    private static final List<String> JVM = MeasuredServer.withHeap("2g");

    @Option(
            names = "--rounds",
            description = "Of all cases; the table has medians. Default: 3, several servers 2, with --short 1")
    private int rounds;

    @Option(names = "--seconds", description = "Measured, each case. Default: 30, several servers 15, with --short 8")
    private int seconds;

    @Option(names = "--warmup", description = "Seconds before. Default: 20, several servers 15, with --short 5")
    private int warmUp;

    @Option(
            names = "--stores",
            split = ",",
            description =
                    "HDFS,LOCAL of one server, which is the default; CLUSTER,SLOW_CLUSTER of several. SLOW_CLUSTER: "
                            + "as CLUSTER, which is the default, and held so much longer that workers wait and not processors")
    private List<Storage> stores = List.of();

    @Option(names = "--servers", description = "More than 1: so many on a development cluster. Default: 1")
    private int servers = 1;

    @Option(
            names = "--via",
            description = "Where clients of several servers send their requests. OWNER: to each partition's server, as "
                    + "SDKs do. ANY: to all of them evenly, which pass them on. Default: OWNER")
    private Via via = Via.OWNER;

    @Option(names = "--clients", split = ",", description = "Each with a topic of its own. Default: 1,2")
    private List<Integer> clients = List.of(1, 2);

    @Option(
            names = "--puts",
            description =
                    "Puts a second of each client, of several servers: their latency counts from when they were due. "
                            + "Default: the next as soon as the last was answered")
    private int puts;

    // As many as these reads would allow take all processors of a small machine from the puts.
    @Option(names = "--gets", description = "Gets a second of each client, at most. Default: 500, several servers 200")
    private int gets;

    @Option(names = "--versions", split = ",", description = "Default: V215,V216,V216_NEW,OURS")
    private List<Version> versions = List.of(Version.values());

    @Option(names = "--size", description = "Bytes of a message. Default: 10240")
    private int size = 10_240;

    public Talos216Command(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("One round of shorter cases, the local store with the first number of clients only:"
                                + " under 6 minutes.")
                        .devCluster("Of a development cluster, which keeps running afterwards"));
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        choose();
        ExperimentRunner run = ExperimentRunner.begin(context(), "talos216", settings());
        if (servers <= 1) {
            return run.run(new OneServer(run.folder()), rounds);
        }
        try (ClusterUnderLoad cluster =
                ClusterUnderLoad.start(context().home(), options().devCluster(), run.folder())) {
            return several(cluster, run);
        }
    }

    /** Keeps the servers of a version for all numbers of clients, since a cluster starts slowly. */
    private int several(ClusterUnderLoad cluster, ExperimentRunner run)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        SeveralServers experiment = new SeveralServers();
        for (int round = 1; round <= rounds; round++) {
            for (Storage store : stores) {
                for (Version version : versions) {
                    String name = store.label().replace(' ', '-') + "-" + version.label() + "-" + round;
                    MeasuredServers started =
                            cluster.servers(store.mainClass(), name, servers, version.onCluster(servers, store));
                    try (VersionOnCluster on = new VersionOnCluster(started, via, size, puts, gets)) {
                        experiment.on = on;
                        for (int number : clients) {
                            run.measure(experiment, new Talos216Case(store, version, number), round, rounds);
                        }
                    }
                }
            }
        }
        return run.finish(experiment);
    }

    private void choose() throws CommandException {
        boolean several = servers > 1;
        rounds = chosen(rounds, several ? 2 : 3, 1);
        seconds = chosen(seconds, several ? 15 : 30, 8);
        warmUp = chosen(warmUp, several ? 15 : 20, 5);
        gets = gets > 0 ? gets : several ? 200 : 500;
        if (stores.isEmpty()) {
            stores = several ? List.of(Storage.CLUSTER) : List.of(Storage.HDFS, Storage.LOCAL);
        }
        check(several);
    }

    private void check(boolean several) throws CommandException {
        for (Storage each : stores) {
            if (each.isShared() != several) {
                throw CommandException.usage("--stores " + each
                        + (several ? " is that of one server: leave --servers out" : ": give --servers, 2 or more"));
            }
        }
        if (puts > 0 && !several) {
            throw CommandException.usage("--puts: give --servers, 2 or more");
        }
    }

    private int chosen(int asked, int whole, int inBrief) {
        return asked > 0 ? asked : options().isBrief() ? inBrief : whole;
    }

    private SortedMap<String, String> settings() throws IOException {
        SortedMap<String, String> settings = new TreeMap<>(Map.of(
                "rounds", Integer.toString(rounds),
                "measured s", Integer.toString(seconds),
                "warm-up s", Integer.toString(warmUp),
                "message bytes", Integer.toString(size),
                "load",
                        format(
                                "for each client %s, at most %d gets a second, one in flight for each partition",
                                puts > 0 ? puts + " puts a second" : PARTITIONS + " puts in flight", gets),
                "clients", clients.toString()));
        if (servers > 1) {
            settings.put("servers", servers + ", requests to " + via);
        }
        settings.put("stores", stores.toString());
        if (!stores.equals(List.of(Storage.CLUSTER))) {
            settings.put(
                    "hdfs append ms mean",
                    format("%.1f times %s", Delays.hflush().meanMillis(), Version.SLOWER));
            settings.put(
                    "hdfs read ms mean", format("%.1f times %s", Delays.read().meanMillis(), Version.SLOWER));
        }
        if (servers == 1) {
            settings.put("server options", String.join(" ", JVM));
        }
        return settings;
    }

    /** The measures of the cases, on whatever servers. Confined: the main thread. */
    private abstract class Measured implements Experiment<Talos216Case> {
        private final List<String> wrong = new ArrayList<>();

        /** Orders cases by store and number of clients, so that what is compared is measured close in time. */
        @Override
        public List<Talos216Case> cases(int round) {
            List<Talos216Case> cases = new ArrayList<>();
            for (Storage store : stores) {
                boolean few = options().isBrief() && store == Storage.LOCAL;
                for (int number : few ? clients.subList(0, 1) : clients) {
                    versions.forEach(version -> cases.add(new Talos216Case(store, version, number)));
                }
            }
            return cases;
        }

        List<Measure> measures(Talos216Case what, int round, PutGetLoad load, Observable server) throws IOException {
            Observed observed = new Observed(server);
            List<Measure> measures = new ArrayList<>();
            load.run(observed).forEach((operation, result) -> {
                result.firstFailure().ifPresent(failure -> wrong.add(operation + " failed: " + failure));
                SortedMap<String, Double> figures = observed.figures(operation, result);
                if (operation.equals("get")) {
                    figures.put("reads delayed", observed.increase("talos_log_reads_paced_total"));
                }
                measures.add(result.measure(what.label(), round, operation, figures));
            });
            return measures;
        }

        @Override
        public String line(Talos216Case what, List<Measure> measured) {
            return format("%-26s", what.label())
                    + measured.stream()
                            .map(each -> format(" %6.0f %ss/s", each.perSecond(), each.operation()))
                            .collect(Collectors.joining());
        }

        @Override
        public List<Claim> claims(Results results) {
            List<Claim> claims = new ArrayList<>();
            for (Storage store : stores) {
                if (store != Storage.LOCAL && versions.size() == Version.values().length) {
                    Talos216Claims ofStore = new Talos216Claims(results, store);
                    clients.forEach(number -> claims.addAll(ofStore.of(number, puts > 0)));
                }
            }
            return claims;
        }

        @Override
        public void draw(Results results, RunReport report) {
            stores.forEach(store -> new Talos216Charts(results, clients).draw(store, report));
        }

        @Override
        public List<String> wrong(Results results) {
            return wrong;
        }
    }

    /** One server for each case. Confined: the main thread. */
    private final class OneServer extends Measured {
        private final Path folder;

        OneServer(Path folder) {
            this.folder = folder;
        }

        @Override
        public List<Measure> measure(Talos216Case what, int round)
                throws IOException, CommandException, TalosClientException, InterruptedException {
            String name = what.label().replace(' ', '-') + "-" + round + ".log";
            try (MeasuredServer server = MeasuredServer.start(
                    what.store().mainClass(), JVM, what.version().settings(), work(), folder.resolve(name))) {
                return measures(what, round, load(what, server), server);
            }
        }
    }

    /** The servers of a cluster, which the command starts and ends. Confined: the main thread. */
    private final class SeveralServers extends Measured {
        private @Nullable VersionOnCluster on;

        @Override
        public List<Measure> measure(Talos216Case what, int round)
                throws IOException, CommandException, TalosClientException, InterruptedException {
            VersionOnCluster running = Objects.requireNonNull(on);
            PutGetLoad load = running.load(what.clients(), Duration.ofSeconds(warmUp), Duration.ofSeconds(seconds));
            return measures(what, round, load, running.servers());
        }
    }

    private PutGetLoad load(Talos216Case what, MeasuredServer server)
            throws CommandException, TalosClientException, InterruptedException {
        TalosClient client = new TalosClient(server.endpoint());
        PutGetLoad load = new PutGetLoad(server.uri(), Duration.ofSeconds(warmUp), Duration.ofSeconds(seconds));
        for (int number = 1; number <= what.clients(); number++) {
            TopicDescription topic = FilledTopic.make(client, "client" + number, PARTITIONS, KEPT, size);
            load.add("put", server.puts(topic, size, number), 0);
            load.add(
                    "get",
                    server.uri(),
                    RepeatedCalls.gets(topic, server.authority(), server.credential(), KEPT),
                    ClosedLoop.Pace.atMost(gets));
        }
        return load;
    }
}
