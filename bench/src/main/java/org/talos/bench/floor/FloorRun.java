// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.RawPuts;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.Window;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SpawnedServer;

/**
 * Measures one case: starts a server, puts to it, counts the stored messages, stops it.
 *
 * <p>Confined: the main thread.
 */
final class FloorRun {
    private static final String TOPIC = "floor";
    private static final int RETENTION_SECONDS = 86_400;

    private final FloorSettings settings;
    private final Path reports;

    FloorRun(FloorSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    FloorFigures measure(FloorCase what, int round) throws IOException, TalosClientException, CommandException {
        Path log = reports.resolve(what.label() + "-" + round + ".log");
        return switch (what) {
            case BARE -> bare(what, Map.of(), round, log);
            case SIGNED -> bare(what, Map.of(BareServer.SIGNED_VARIABLE, "1"), round, log);
            case FLUSH, FSYNC, REST -> server(what, round, log);
        };
    }

    private FloorFigures bare(FloorCase what, Map<String, String> environment, int round, Path log) throws IOException {
        try (SpawnedServer server =
                SpawnedServer.start(BareServer.class.getName(), settings.serverOptions(), environment, log)) {
            TopicDescription nowhere =
                    new TopicDescription(TOPIC, "bare#floor#" + "0".repeat(32), "bare", settings.partitions(), 0);
            Measured measured = load(server, signed(server, nowhere, BareServer.CREDENTIAL), AnswerCheck.ANY);
            return measured.of(what, round, measured.load.succeeded());
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
                "TALOS_MANAGEMENT_PORT",
                "0",
                "TALOS_LOG_DURABILITY",
                what.durability());
        try (SpawnedServer server = SpawnedServer.start(
                org.talos.server.Main.class.getName(), settings.serverOptions(), environment, log)) {
            TalosEndpoint endpoint = Connection.fromFile(server.uri(), data.resolve("admin.credentials"));
            TalosAdmin admin = new TalosAdmin(endpoint);
            TopicDescription topic = admin.createTopic(TOPIC, settings.partitions(), RETENTION_SECONDS);
            Credential credential = new Credential(endpoint.accessKey(), endpoint.secretKey());
            Measured measured = what == FloorCase.REST
                    ? load(server, raw(server, topic, credential), AnswerCheck.ANY)
                    : load(server, signed(server, topic, credential), AnswerCheck.THRIFT_RESULT);
            return measured.of(what, round, stored(admin, topic));
        } finally {
            Folders.delete(data);
        }
    }

    private static long stored(TalosAdmin admin, TopicDescription topic) throws TalosClientException {
        return admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::messages)
                .sum();
    }

    private List<SignedPuts> signed(SpawnedServer server, TopicDescription topic, Credential credential)
            throws IOException {
        return SignedPuts.toAll(topic, host(server), credential, settings.size(), settings.seed());
    }

    private List<RawPuts> raw(SpawnedServer server, TopicDescription topic, Credential credential) throws IOException {
        return RawPuts.toAll(topic, host(server), credential, settings.size(), settings.seed());
    }

    private static String host(SpawnedServer server) throws IOException {
        URI uri = server.uri();
        return uri.getHost() + ":" + uri.getPort();
    }

    private Measured load(SpawnedServer server, List<? extends RequestSource> puts, AnswerCheck check)
            throws IOException {
        URI uri = server.uri();
        Cpu cpu = new Cpu(server);
        LoadResult load = ClosedLoop.run(
                new InetSocketAddress(uri.getHost(), uri.getPort()),
                puts,
                check,
                settings.warmUp(),
                settings.measured(),
                cpu);
        return new Measured(load, cpu.serverSeconds, cpu.clientSeconds);
    }

    /** The result of a load, with its processor time. Immutable. */
    private record Measured(LoadResult load, double serverCpuSeconds, double clientCpuSeconds) {
        FloorFigures of(FloorCase what, int round, long stored) {
            return new FloorFigures(what, round, load, serverCpuSeconds, clientCpuSeconds, stored);
        }
    }

    /** Measures processor time of both ends within the window. Confined: the loop's thread. */
    private static final class Cpu implements Window {
        private final SpawnedServer server;
        private double serverSeconds;
        private double clientSeconds;

        Cpu(SpawnedServer server) {
            this.server = server;
        }

        @Override
        public void opened() {
            serverSeconds = -seconds(server.cpu());
            clientSeconds = -ownSeconds();
        }

        @Override
        public void closed() {
            serverSeconds += seconds(server.cpu());
            clientSeconds += ownSeconds();
        }

        private static double ownSeconds() {
            return seconds(ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
        }

        private static double seconds(Duration duration) {
            return duration.toNanos() / 1e9;
        }
    }
}
