// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.SpawnedServer;

/** A server, its partitions, and the same partitions after a restart. Confined: the main thread. */
final class PartitionsRun {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long PAUSE_MILLIS = 50;

    private final Path folder;
    private final Path log;
    private final List<String> jvm;
    private final Lines lines;
    private final TimedRequests requests = new TimedRequests();
    private final URI management;

    /** @param folder where the server keeps its data */
    PartitionsRun(Path folder, Path log, List<String> jvm, Lines lines) throws IOException {
        this.folder = folder;
        this.log = log;
        this.jvm = jvm;
        this.lines = lines;
        management = URI.create("http://127.0.0.1:" + FreePorts.next());
    }

    private SpawnedServer start() throws IOException {
        return SpawnedServer.start(
                org.talos.server.Main.class.getName(),
                jvm,
                Map.of(
                        "TALOS_DATADIRECTORY",
                        folder.resolve("data").toString(),
                        "TALOS_HTTP_HOST",
                        "127.0.0.1",
                        "TALOS_HTTP_PORT",
                        "0",
                        "TALOS_MANAGEMENT_PORT",
                        Integer.toString(management.getPort())),
                log);
    }

    /**
     * Makes them, and says what they cost before and after a restart.
     *
     * @param step a message is put into each so manieth partition
     */
    void measure(PartitionedTopics topics, int step, Duration rest)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        RestFigures figures = new RestFigures(requests, rest, lines);
        TopicTraffic traffic = new TopicTraffic(requests, topics, step, lines);
        long beginning = System.nanoTime();
        try (SpawnedServer spawned = start()) {
            awaitReady();
            lines.seconds("start", beginning, "until it is ready, without any");
            MeasuredProcess server = measured(spawned);
            figures.withoutAny(List.of(server));
            traffic.create(new TalosAdmin(new TalosClient(server.endpoint()).once()), 1);
            traffic.put(List.of(server.endpoint()));
            figures.with(List.of(server), topics);
            stop(spawned);
        }
        long starting = System.nanoTime();
        try (SpawnedServer spawned = start()) {
            lines.seconds("restart", starting, "until it listens");
            awaitReady();
            lines.seconds("restart", starting, "until it is ready");
            MeasuredProcess server = measured(spawned);
            traffic.read(server.endpoint());
            lines.seconds("restart", starting, "until each partition with a message has given it");
            figures.with(List.of(server), topics);
        }
    }

    private void stop(SpawnedServer server) throws IOException {
        long stopping = System.nanoTime();
        boolean ended = server.stop(PATIENCE);
        lines.seconds("stop", stopping, ended ? "until it has ended" : "and it was killed");
    }

    private MeasuredProcess measured(SpawnedServer server) throws CommandException {
        return new MeasuredProcess(
                "server",
                server,
                Connection.fromFile(server.uri(), folder.resolve("data/admin.credentials")),
                management);
    }

    private void awaitReady() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (requests.get(management.resolve("/health/ready")).status() != 200) {
            if (Lines.seconds(begun) > PATIENCE.toSeconds()) {
                throw new IOException("the server is not ready after " + PATIENCE.toMinutes() + " min: see " + log);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
