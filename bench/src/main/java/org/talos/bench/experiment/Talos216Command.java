// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.talos.bench.experiment.Talos216Results.Case;
import org.talos.bench.load.FilledTopic;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.SignedGets;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import org.talos.common.auth.Credential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The Talos 2.1.6 report: four servers, one and two clients, put and get at once, each with one request in flight for
 * each partition.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "talos216",
        description = "The Talos 2.1.6 report: threads by hash (2.1.5), by affinity (2.1.6), with more Jetty workers "
                + "(2.1.6-new), and without any that wait (ours), over a store as slow as HDFS and over the local one.",
        mixinStandardHelpOptions = true)
public final class Talos216Command implements Callable<Integer> {
    private static final int PARTITIONS = 120;
    private static final int KEPT = 20;
    /** Of each client: as many as these reads would allow take all processors of a small machine from the puts. */
    private static final int GETS_PER_SECOND = 500;

    private static final List<String> JVM = List.of("-Xms2g", "-Xmx2g");

    private final Surroundings surroundings;

    @Option(
            names = "--short",
            description =
                    "One round of shorter cases, the local store with the first number of clients only: under 6 minutes.")
    private boolean brief;

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 3, with --short 1")
    private int rounds;

    @Option(names = "--seconds", description = "Measured, each case. Default: 30, with --short 8")
    private int seconds;

    @Option(names = "--warmup", description = "Seconds before. Default: 20, with --short 5")
    private int warmUp;

    @Option(names = "--stores", split = ",", description = "Default: HDFS,LOCAL")
    private List<Storage> stores = List.of(Storage.values());

    @Option(names = "--clients", split = ",", description = "Each with a topic of its own. Default: 1,2")
    private List<Integer> clients = List.of(1, 2);

    @Option(names = "--size", description = "Bytes of a message. Default: 10240")
    private int size = 10_240;

    /** The command. */
    public Talos216Command(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        rounds = chosen(rounds, 3, 1);
        seconds = chosen(seconds, 30, 8);
        warmUp = chosen(warmUp, 20, 5);
        RunReport report = RunReport.begin(surroundings, "talos216", settings());
        List<Case> cases = cases();
        Talos216Results results = new Talos216Results();
        boolean sound = true;
        for (int round = 1; round <= rounds; round++) {
            for (Case each : cases) {
                Map<String, Measure> one = measure(each, round, report);
                results.add(each, one);
                sound &= kept(one, round, each, report);
            }
        }
        if (stores.contains(Storage.HDFS)) {
            clients.forEach(number -> new Talos216Claims(results).of(number).forEach(report::add));
        }
        stores.forEach(store -> new Talos216Charts(results, clients).draw(store, report));
        report.write();
        report.print();
        return sound ? 0 : 1;
    }

    private int chosen(int asked, int whole, int inBrief) {
        return asked > 0 ? asked : brief ? inBrief : whole;
    }

    /** Whether no request failed. */
    private boolean kept(Map<String, Measure> one, int round, Case what, RunReport report) throws IOException {
        one.values().forEach(report::add);
        report.write();
        StringBuilder line = new StringBuilder("round %d of %d: %-26s".formatted(round, rounds, what.label()));
        one.forEach((operation, measure) -> line.append(" %6.0f %ss/s".formatted(measure.perSecond(), operation)));
        surroundings.line(line.toString());
        return one.values().stream().allMatch(measure -> measure.failed() == 0);
    }

    private SortedMap<String, String> settings() throws IOException {
        return new TreeMap<>(Map.of(
                "rounds", Integer.toString(rounds),
                "measured s", Integer.toString(seconds),
                "warm-up s", Integer.toString(warmUp),
                "message bytes", Integer.toString(size),
                "load", PARTITIONS + " puts in flight and " + GETS_PER_SECOND + " gets a second for each client",
                "stores", stores.toString(),
                "clients", clients.toString(),
                "hdfs append ms mean", "%.1f times %s".formatted(Delays.hflush().meanMillis(), Version.SLOWER),
                "hdfs read ms mean", "%.1f times %s".formatted(Delays.read().meanMillis(), Version.SLOWER),
                "server options", String.join(" ", JVM)));
    }

    /** All of one store and number of clients stand together, so that what is compared is measured close in time. */
    private List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Storage store : stores) {
            for (int number : brief && store == Storage.LOCAL ? clients.subList(0, 1) : clients) {
                for (Version version : Version.values()) {
                    cases.add(new Case(store, version, number));
                }
            }
        }
        return cases;
    }

    private Map<String, Measure> measure(Case what, int round, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        String name = what.label().replace(' ', '-') + "-" + round + ".log";
        try (MeasuredServer server = MeasuredServer.start(
                what.store().mainClass(),
                JVM,
                what.version().settings(),
                surroundings.home().resolve("bench/target"),
                report.folder().resolve(name))) {
            Observed observed = new Observed(server);
            Map<String, LoadResult> results = load(what, server).run(observed);
            Map<String, Measure> measures = new TreeMap<>();
            for (Map.Entry<String, LoadResult> each : results.entrySet()) {
                String operation = each.getKey();
                LoadResult result = each.getValue();
                if (result.firstFailure().isPresent()) {
                    surroundings.line(
                            operation + " failed: " + result.firstFailure().get());
                }
                measures.put(
                        operation, result.measure(what.label(), round, operation, observed.figures(operation, result)));
            }
            return measures;
        }
    }

    private PutGetLoad load(Case what, MeasuredServer server)
            throws CommandException, TalosClientException, InterruptedException {
        TalosEndpoint endpoint = server.endpoint();
        TalosClient client = new TalosClient(endpoint);
        Credential credential = new Credential(endpoint.accessKey(), endpoint.secretKey());
        String host = server.uri().getHost() + ":" + server.uri().getPort();
        PutGetLoad load = new PutGetLoad(server.uri(), Duration.ofSeconds(warmUp), Duration.ofSeconds(seconds));
        for (int number = 1; number <= what.clients(); number++) {
            TopicDescription topic = FilledTopic.make(client, "client" + number, PARTITIONS, KEPT, size);
            load.add("put", SignedPuts.toAll(topic, host, credential, size, number), 0);
            load.add("get", SignedGets.fromAll(topic, host, credential, KEPT), GETS_PER_SECOND);
        }
        return load;
    }
}
