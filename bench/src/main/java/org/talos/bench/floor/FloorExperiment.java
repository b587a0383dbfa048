// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MessageCheck;
import org.talos.bench.load.Observable;
import org.talos.bench.load.Observed;
import org.talos.bench.load.Polls;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RawPuts;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.Main;

/**
 * Measures each case: starts a server, puts to it and gets from it, counts the stored messages, stops it.
 *
 * <p>Confined: the main thread.
 */
final class FloorExperiment implements Experiment<FloorCase> {
    static final String PUT = "put";
    static final String GET = "get";
    static final String SERVER_CPU = "server CPU s/1000";
    static final String CLIENT_CPU = "client CPU s/1000";
    static final String READY = "ready s";
    private static final String WARM_UP = "warm-up s";
    private static final String TOPIC = "floor";

    private final FloorSettings settings;
    private final Path reports;
    private final List<String> wrong = new ArrayList<>();

    FloorExperiment(FloorSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    /** The connections of a load, and how the answers to the puts are checked. Immutable. */
    private record Load(List<? extends RequestSource> puts, AnswerCheck check, List<Polls> polls) {}

    /** A server that serves, and the seconds from the start of its process until it did. Immutable. */
    private record Ready(SpawnedServer server, double seconds) {}

    @Override
    public List<FloorCase> cases(int round) {
        return settings.cases();
    }

    @Override
    public List<Measure> measure(FloorCase what, int round) throws IOException, TalosClientException, CommandException {
        Path log = reports.resolve(what.label() + "-" + round + ".log");
        return what.stores() ? server(what, round, log) : bare(what, round, log);
    }

    @Override
    public String line(FloorCase what, List<Measure> measured) {
        return format(
                "%-6s %7.0f requests/s, warmed up for %.0f s",
                what.label(),
                measured.stream().mapToDouble(Measure::perSecond).sum(),
                measured.get(0).figure(WARM_UP));
    }

    @Override
    public List<Claim> claims(Results results) {
        return new FloorResults(results, settings).claims();
    }

    @Override
    public List<String> tables(Results results, RunReport report) {
        return new FloorResults(results, settings).table();
    }

    @Override
    public List<String> wrong(Results results) {
        return wrong;
    }

    private List<Measure> bare(FloorCase what, int round, Path log)
            throws IOException, TalosClientException, CommandException {
        Map<String, String> environment = new HashMap<>();
        environment.put(BareServer.THREADS_VARIABLE, Integer.toString(settings.threads()));
        environment.put(
                BareServer.GET_BYTES_VARIABLE,
                Integer.toString(settings.clients().size()));
        if (what == FloorCase.SIGNED) {
            environment.put(BareServer.SIGNED_VARIABLE, "1");
        }
        long begunNanos = System.nanoTime();
        try (SpawnedServer server = SpawnedServer.start(
                BareServer.class.getName(), settings.servers().options(), environment, log)) {
            double readySeconds = secondsSince(begunNanos);
            TopicDescription nowhere = new TopicDescription(
                    TOPIC,
                    "bare#floor#" + "0".repeat(32),
                    "bare",
                    settings.clients().partitions(),
                    Duration.ZERO);
            String host = server.uri().getAuthority();
            MessageCheck check = MessageCheck.sized(settings.clients().size());
            List<MessageCheck> checks = Collections.nCopies(settings.clients().consumers(), check);
            Load load = new Load(
                    signedPuts(nowhere, host, BareServer.CREDENTIAL),
                    AnswerCheck.ANY,
                    Polls.signed(nowhere, host, BareServer.CREDENTIAL, checks));
            return measures(what, round, new Ready(server, readySeconds), load, () -> 0);
        }
    }

    private List<Measure> server(FloorCase what, int round, Path log)
            throws IOException, TalosClientException, CommandException {
        Map<String, String> environment =
                Map.of("HTTP_WORKERS", Integer.toString(settings.threads()), "LOG_DURABILITY", what.durability());
        ServerSetup setup = settings.servers();
        long begunNanos = System.nanoTime();
        try (MeasuredServer server =
                MeasuredServer.start(Main.class, setup.options(), environment, setup.work(), log)) {
            Ready ready = new Ready(server.process(), secondsSince(begunNanos));
            TopicDescription topic = server.topic(TOPIC, settings.clients().partitions());
            Load load = what == FloorCase.REST
                    ? overRest(topic, server.authority(), server.credential())
                    : signed(topic, server.authority(), server.credential());
            return measures(what, round, ready, load, () -> stored(server.admin(), topic));
        }
    }

    private Load signed(TopicDescription topic, String host, Credential credential) {
        List<SignedPuts> puts = signedPuts(topic, host, credential);
        List<MessageCheck> checks = puts.stream()
                .limit(settings.clients().consumers())
                .map(each -> MessageCheck.blocks(each.block()))
                .toList();
        return new Load(puts, AnswerCheck.THRIFT_RESULT, Polls.signed(topic, host, credential, checks));
    }

    private List<SignedPuts> signedPuts(TopicDescription topic, String host, Credential credential) {
        return SignedPuts.toAll(topic, host, credential, settings.clients().size(), settings.seed())
                .subList(0, settings.clients().producers());
    }

    private Load overRest(TopicDescription topic, String host, Credential credential) {
        List<RawPuts> puts = RawPuts.toAll(
                        topic, host, credential, settings.clients().size(), settings.seed())
                .subList(0, settings.clients().producers());
        List<MessageCheck> checks = puts.stream()
                .limit(settings.clients().consumers())
                .map(each -> MessageCheck.json(bytes(each.message())))
                .toList();
        return new Load(puts, AnswerCheck.ANY, Polls.overRest(topic, host, credential, checks));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static long stored(TalosAdmin admin, TopicDescription topic) throws TalosClientException {
        return admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::messages)
                .sum();
    }

    /** Counts the messages of a server. */
    private interface Count {
        long messages() throws TalosClientException, CommandException;
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private List<Measure> measures(FloorCase what, int round, Ready ready, Load load, Count stored)
            throws IOException, TalosClientException, CommandException {
        SpawnedServer server = ready.server;
        CompileTime compilers = CompileTime.of(server.pid());
        Costs costs = new Costs(server, compilers);
        QuietCompiler warmUp =
                new QuietCompiler(compilers::seconds, settings.timing().longestWarmUp());
        PutGetLoad loops =
                new PutGetLoad(server.uri(), warmUp, settings.timing().measured()).add(PUT, load.puts, load.check);
        if (!load.polls.isEmpty()) {
            loops.add(GET, load.polls, AnswerCheck.ANY);
        }
        Map<String, LoadResult> results = loops.run(costs);
        LoadResult puts = Objects.requireNonNull(results.get(PUT));
        Optional<LoadResult> gets = Optional.ofNullable(results.get(GET));
        long received = load.polls.stream().mapToLong(Polls::received).sum();
        wrong(what, round, puts, gets, stored.messages(), received).ifPresent(wrong::add);
        long requests = results.values().stream()
                .mapToLong(each -> each.latency().getTotalCount())
                .sum();
        SortedMap<String, Double> figures = costs.figures(requests);
        figures.put(READY, ready.seconds);
        figures.putAll(FirstMinute.figures(puts.timeline()));
        List<Measure> measures = new ArrayList<>();
        measures.add(puts.measure(what.label(), round, PUT, figures));
        gets.ifPresent(
                each -> measures.add(each.measure(what.label(), round, GET, FirstMinute.figures(each.timeline()))));
        return measures;
    }

    /**
     * Returns what is wrong, as a line of text: requests that failed, or messages that were acknowledged and are not
     * stored once, or consumers that got more messages than there are.
     *
     * @param stored messages that the server has at the end
     * @param received messages that consumers got
     */
    static Optional<String> wrong(
            FloorCase what, int round, LoadResult puts, Optional<LoadResult> gets, long stored, long received) {
        long failed = puts.failed() + gets.map(LoadResult::failed).orElse(0L);
        boolean sound = failed == 0
                && gets.map(each -> each.succeeded() > 0).orElse(true)
                && (!what.stores() || (stored == puts.succeeded() && received <= stored));
        return sound
                ? Optional.empty()
                : Optional.of(format(
                        "WRONG: %s, round %d: %d acknowledged, %d stored, %d received, %d errors %s",
                        what.label(),
                        round,
                        puts.succeeded(),
                        stored,
                        received,
                        failed,
                        puts.firstFailure()
                                .or(() -> gets.flatMap(LoadResult::firstFailure))
                                .orElse("")));
    }

    /**
     * Measures what the measured time takes of the processors at both ends, and of the server's compilers.
     *
     * <p>Confined: the loop's thread, and after the run the thread that started it.
     */
    private static final class Costs extends Observed {
        private static final String COMPILERS = "compilers";

        private final CompileTime compilers;
        private final long beganNanos = System.nanoTime();
        private double warmUpSeconds;
        private double warmUpCompilers;

        Costs(SpawnedServer server, CompileTime compilers) {
            super(Observable.of(() -> server.cpu().toNanos() / 1e9));
            this.compilers = compilers;
            also(COMPILERS, () -> compilers.seconds().orElse(Double.NaN));
        }

        @Override
        public void opened() {
            warmUpSeconds = secondsSince(beganNanos);
            warmUpCompilers = compilers.seconds().orElse(Double.NaN);
            super.opened();
        }

        SortedMap<String, Double> figures(long requests) {
            double thousands = Math.max(1, requests) / 1e3;
            return new TreeMap<>(Map.of(
                    SERVER_CPU,
                    cpuSeconds() / thousands,
                    CLIENT_CPU,
                    clientSeconds() / thousands,
                    "compiler CPU s",
                    grown(COMPILERS),
                    "compiler CPU s before",
                    warmUpCompilers,
                    WARM_UP,
                    warmUpSeconds));
        }
    }
}
