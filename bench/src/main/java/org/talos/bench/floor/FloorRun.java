// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MessageCheck;
import org.talos.bench.load.Polls;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RawPuts;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.SignedPuts;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SpawnedServer;

/**
 * Measures one case: starts a server, puts to it and gets from it, counts the stored messages, stops it.
 *
 * <p>Confined: the main thread.
 */
final class FloorRun {
    private static final String TOPIC = "floor";

    private final FloorSettings settings;
    private final Path reports;

    FloorRun(FloorSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    /** The connections of a load, and how the answers to the puts are checked. Immutable. */
    private record Load(List<? extends RequestSource> puts, AnswerCheck check, List<Polls> polls) {}

    FloorFigures measure(FloorCase what, int round) throws IOException, TalosClientException, CommandException {
        Path log = reports.resolve(what.label() + "-" + round + ".log");
        return what.stores() ? server(what, round, log) : bare(what, round, log);
    }

    private FloorFigures bare(FloorCase what, int round, Path log) throws IOException {
        Map<String, String> environment = new HashMap<>();
        environment.put(BareServer.THREADS_VARIABLE, Integer.toString(settings.threads()));
        environment.put(BareServer.GET_BYTES_VARIABLE, Integer.toString(settings.size()));
        if (what == FloorCase.SIGNED) {
            environment.put(BareServer.SIGNED_VARIABLE, "1");
        }
        try (SpawnedServer server =
                SpawnedServer.start(BareServer.class.getName(), settings.serverOptions(), environment, log)) {
            TopicDescription nowhere = new TopicDescription(
                    TOPIC, "bare#floor#" + "0".repeat(32), "bare", settings.partitions(), Duration.ZERO);
            String host = host(server);
            MessageCheck check = MessageCheck.sized(settings.size());
            Load load = new Load(
                    signedPuts(nowhere, host, BareServer.CREDENTIAL),
                    AnswerCheck.ANY,
                    Polls.signed(
                            nowhere, host, BareServer.CREDENTIAL, Collections.nCopies(settings.consumers(), check)));
            return figures(what, round, server, load, () -> 0);
        }
    }

    private FloorFigures server(FloorCase what, int round, Path log)
            throws IOException, TalosClientException, CommandException {
        Files.createDirectories(settings.work());
        Path data = Files.createTempDirectory(settings.work(), "floor-");
        Map<String, String> environment = Map.of(
                "TALOS_DATADIRECTORY",
                data.toString(),
                "TALOS_HTTP_HOST",
                "127.0.0.1",
                "TALOS_HTTP_PORT",
                "0",
                "TALOS_HTTP_WORKERS",
                Integer.toString(settings.threads()),
                "TALOS_MANAGEMENT_PORT",
                "0",
                "TALOS_LOG_DURABILITY",
                what.durability());
        try (SpawnedServer server = SpawnedServer.start(
                org.talos.server.Main.class.getName(), settings.serverOptions(), environment, log)) {
            TalosEndpoint endpoint = Connection.fromFile(server.uri(), data.resolve("admin.credentials"));
            TalosAdmin admin = new TalosAdmin(new TalosClient(endpoint).once());
            TopicDescription topic = admin.createTopic(NewTopic.of(TOPIC, settings.partitions()));
            Credential credential = new Credential(endpoint.accessKey(), endpoint.secretKey());
            Load load = what == FloorCase.REST
                    ? overRest(topic, host(server), credential)
                    : signed(topic, host(server), credential);
            return figures(what, round, server, load, () -> stored(admin, topic));
        } finally {
            Folders.delete(data);
        }
    }

    private Load signed(TopicDescription topic, String host, Credential credential) {
        List<SignedPuts> puts = signedPuts(topic, host, credential);
        List<MessageCheck> checks = puts.stream()
                .limit(settings.consumers())
                .map(each -> MessageCheck.blocks(each.block()))
                .toList();
        return new Load(puts, AnswerCheck.THRIFT_RESULT, Polls.signed(topic, host, credential, checks));
    }

    private List<SignedPuts> signedPuts(TopicDescription topic, String host, Credential credential) {
        return SignedPuts.toAll(topic, host, credential, settings.size(), settings.seed())
                .subList(0, settings.producers());
    }

    private Load overRest(TopicDescription topic, String host, Credential credential) {
        List<RawPuts> puts = RawPuts.toAll(topic, host, credential, settings.size(), settings.seed())
                .subList(0, settings.producers());
        List<MessageCheck> checks = puts.stream()
                .limit(settings.consumers())
                .map(each -> MessageCheck.json(bytes(each.message())))
                .toList();
        return new Load(puts, AnswerCheck.ANY, Polls.overRest(topic, host, credential, checks));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static String host(SpawnedServer server) {
        URI uri = server.uri();
        return uri.getHost() + ":" + uri.getPort();
    }

    private static long stored(TalosAdmin admin, TopicDescription topic) throws TalosClientException {
        return admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::messages)
                .sum();
    }

    /** Counts the messages of a server. */
    private interface Count<E extends Exception> {
        long messages() throws E;
    }

    private <E extends Exception> FloorFigures figures(
            FloorCase what, int round, SpawnedServer server, Load load, Count<E> stored) throws IOException, E {
        CompileTime compilers = CompileTime.of(server.pid());
        CostWindow window = new CostWindow(server, compilers);
        QuietCompiler warmUp = new QuietCompiler(compilers::seconds, settings.longestWarmUp());
        PutGetLoad loops =
                new PutGetLoad(server.uri(), warmUp, settings.measured()).add(FloorFigures.PUT, load.puts, load.check);
        if (!load.polls.isEmpty()) {
            loops.add(FloorFigures.GET, load.polls, AnswerCheck.ANY);
        }
        Map<String, LoadResult> results = loops.run(window);
        return new FloorFigures(
                what,
                round,
                Objects.requireNonNull(results.get(FloorFigures.PUT)),
                Optional.ofNullable(results.get(FloorFigures.GET)),
                window.costs(),
                stored.messages(),
                load.polls.stream().mapToLong(Polls::received).sum());
    }
}
