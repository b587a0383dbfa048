// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.run;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.engine.Results;
import org.talos.bench.load.FilledTopic;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.Window;
import org.talos.bench.report.Measure;
import org.talos.bench.sdk.SdkMeasurement;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts and gets with the bench client. Confined: the main thread. */
@Command(
        name = "run",
        description =
                "Put and get with one request in flight for each thread, each bound to a partition; or at a "
                        + "fixed rate, with latency from when a request was due. Starts a server of its own unless one is named.")
public final class RunCommand extends ExperimentCommand {
    private static final int KEPT = 20;

    /** The ways in which the load reaches the server. */
    enum Kind {
        CALLS,
        STREAM
    }

    @Option(
            names = "--endpoints",
            split = ",",
            paramLabel = "URL",
            description = "Servers that run already; clients are spread over them. Default: one that is started")
    private List<URI> endpoints = List.of();

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description = "Of those servers. Default: data/admin.credentials")
    private Optional<Path> credentials = Optional.empty();

    @Option(names = "--management", paramLabel = "URL", description = "Of the server whose metrics are read")
    private Optional<URI> management = Optional.empty();

    @Option(names = "--clients", description = "Each with a topic of its own. Default: 1")
    private int clients = 1;

    @Option(names = "--partitions", description = "Of each topic, 1 to 256. Default: 120")
    private int partitions = 120;

    @Option(names = "--put-threads", description = "Of each client; as many as partitions at most. Default: all")
    private Optional<Integer> putThreads = Optional.empty();

    @Option(names = "--get-threads", description = "The same. Default: all")
    private Optional<Integer> getThreads = Optional.empty();

    @Option(names = "--put-rate", description = "Puts a second of each client; 0 for as many as come. Default: 0")
    private double putRate;

    @Option(names = "--get-rate", description = "Gets a second of each client. Default: 0")
    private double getRate;

    @Option(names = "--size", description = "Bytes of a message. Default: 10240")
    private int size = 10_240;

    @Option(names = "--rounds", description = "The table has medians. Default: 1")
    private Optional<Integer> rounds = Optional.empty();

    @Option(names = "--name", description = "Of the case in the report. Default: run")
    private String name = "run";

    @Option(
            names = "--transport",
            description =
                    "STREAM: puts over one stream beside puts by calls, each waited for, with the processor time of "
                            + "one; of the options partitions, size, seconds, warmup and rounds count. Default: CALLS")
    private Kind transport = Kind.CALLS;

    @Mixin
    private SdkMeasurement sdk = new SdkMeasurement();

    public RunCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .seconds("Measured, each round", 30, 30)
                        .warmUp("Seconds before", 15, 15)
                        .set("For the server that is started, as in the environment: HTTP_WORKERS=100"));
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        if (sdk.isAsked()) {
            return sdk.run(context(), rounds);
        }
        if (partitions < 1 || clients < 1 || rounds() < 1 || threads(putThreads) + threads(getThreads) < 1) {
            throw new CommandException("partitions, clients, rounds and threads: 1 or more");
        }
        ExperimentRunner run = ExperimentRunner.begin(context(), "run", described());
        try (Target target = target(run.folder())) {
            if (transport == Kind.CALLS) {
                return run.run(new CallsExperiment(target), rounds());
            }
            try (TransportExperiment experiment = TransportExperiment.start(
                    target, partitions, size, options().warmUp(), options().seconds())) {
                return run.run(experiment, rounds());
            }
        }
    }

    private int rounds() {
        return rounds.orElse(1);
    }

    private int threads(Optional<Integer> wanted) {
        return Math.max(0, Math.min(partitions, wanted.orElse(partitions)));
    }

    private SortedMap<String, String> described() throws CommandException {
        TreeMap<String, String> lines = new TreeMap<>(Map.of(
                "endpoints", endpoints.isEmpty() ? "started" : endpoints.toString(),
                "clients", Integer.toString(clients),
                "partitions", Integer.toString(partitions),
                "put threads", threads(putThreads) + (putRate > 0 ? " at " + putRate + "/s" : ""),
                "get threads", threads(getThreads) + (getRate > 0 ? " at " + getRate + "/s" : ""),
                "message bytes", Integer.toString(size),
                "measured s", Long.toString(options().seconds().toSeconds()),
                "warm-up s", Long.toString(options().warmUp().toSeconds()),
                "rounds", Integer.toString(rounds()),
                "transport", transport.toString()));
        options().set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private Target target(Path folder) throws IOException, CommandException {
        return endpoints.isEmpty()
                ? Target.started(options().set(), work(), folder.resolve("server.log"))
                : Target.running(
                        endpoints,
                        credentials.orElse(context().dataDirectory().resolve("admin.credentials")),
                        management);
    }

    /** Puts and gets by calls, each round with topics of its own. Confined: the main thread. */
    private final class CallsExperiment implements Experiment<String> {
        private final Target target;
        private final List<String> wrong = new ArrayList<>();

        CallsExperiment(Target target) {
            this.target = target;
        }

        @Override
        public List<String> cases(int round) {
            return List.of(name);
        }

        @Override
        public List<Measure> measure(String what, int round)
                throws IOException, TalosClientException, CommandException, InterruptedException {
            TalosClient client = new TalosClient(target.endpoint());
            List<String> topics = new ArrayList<>();
            try {
                PutGetLoad load = new PutGetLoad(
                        target.servers().get(0), options().warmUp(), options().seconds());
                for (int number = 0; number < clients; number++) {
                    String topic = "bench-" + Long.toString(System.currentTimeMillis(), 36) + "-" + number;
                    topics.add(topic);
                    add(load, client, target, topic, number);
                }
                Observed observed = new Observed(target);
                Map<String, LoadResult> results = load.run(target.isObservable() ? observed : Window.NOBODY);
                results.forEach((operation, result) ->
                        result.firstFailure().ifPresent(failure -> wrong.add(operation + " failed: " + failure)));
                return results.entrySet().stream()
                        .map(each -> each.getValue()
                                .measure(what, round, each.getKey(), figures(each.getKey(), each.getValue(), observed)))
                        .toList();
            } finally {
                for (String topic : topics) {
                    new TalosAdmin(client).deleteTopic(topic);
                }
            }
        }

        private SortedMap<String, Double> figures(String operation, LoadResult result, Observed observed) {
            return target.isObservable() ? observed.figures(operation, result) : new TreeMap<>();
        }

        @Override
        public String line(String what, List<Measure> measured) {
            return measured.stream()
                    .map(each -> format("%.0f %ss/s", each.perSecond(), each.operation()))
                    .collect(Collectors.joining(", "));
        }

        @Override
        public List<String> wrong(Results results) {
            return wrong;
        }
    }

    private void add(PutGetLoad load, TalosClient client, Target target, String name, int number)
            throws TalosClientException, InterruptedException {
        int kept = threads(getThreads) > 0 ? KEPT : 0;
        TopicDescription topic = FilledTopic.make(client, name, partitions, kept, size);
        URI server = target.servers().get(number % target.servers().size());
        String host = server.getHost() + ":" + server.getPort();
        Credential credential =
                new Credential(target.endpoint().accessKey(), target.endpoint().secretKey());
        if (threads(putThreads) > 0) {
            List<SignedPuts> puts = SignedPuts.toAll(topic, host, credential, size, number);
            load.add("put", server, puts.subList(0, threads(putThreads)), putRate);
        }
        if (threads(getThreads) > 0) {
            List<RepeatedCalls> gets = RepeatedCalls.gets(topic, host, credential, KEPT);
            load.add("get", server, gets.subList(0, threads(getThreads)), getRate);
        }
    }
}
