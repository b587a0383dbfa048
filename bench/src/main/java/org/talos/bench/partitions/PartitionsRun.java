// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.ServerState;
import org.talos.launcher.local.SpawnedServer;

/** A server, its partitions, and the same partitions after a restart. Confined: the main thread. */
final class PartitionsRun {
    private static final Duration SETTLE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long PAUSE_MILLIS = 50;
    private static final double MILLIS = 1e6;

    private final Path folder;
    private final Path log;
    private final List<String> jvm;
    private final Listener listener;
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI management;

    /** Hears what was measured. */
    @FunctionalInterface
    interface Listener {
        void line(String text) throws IOException;
    }

    /** An answer, and how long it took. Immutable. */
    private record Timed(HttpResponse<byte[]> answer, double millis) {}

    /** @param folder where the server keeps its data */
    PartitionsRun(Path folder, Path log, List<String> jvm, Listener listener) throws IOException {
        this.folder = folder;
        this.log = log;
        this.jvm = jvm;
        this.listener = listener;
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

    /** Makes them, and says what they cost before and after a restart. */
    void measure(int topics, int partitions, Duration rest)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        ServerState empty;
        long stopping;
        try (SpawnedServer server = start()) {
            awaitReady();
            Thread.sleep(SETTLE.toMillis());
            empty = ServerState.of(server);
            tell("without any", empty, empty, 1);
            make(server, topics, partitions);
            tellAtRest(server, empty, partitions, rest);
            stopping = System.nanoTime();
        }
        line("stop             %.1f s", seconds(stopping));
        long starting = System.nanoTime();
        try (SpawnedServer server = start()) {
            line("restart          %.1f s until it listens", seconds(starting));
            awaitReady();
            line("restart          %.1f s until it is ready", seconds(starting));
            readAll(server, topics, partitions);
            line("restart          %.1f s until each partition has given its message", seconds(starting));
            tellAtRest(server, empty, partitions, rest);
        }
    }

    private void make(SpawnedServer server, int topics, int partitions)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        TalosEndpoint endpoint = endpoint(server);
        TalosAdmin admin = new TalosAdmin(new TalosClient(endpoint).once());
        long making = System.nanoTime();
        for (int topic = 0; topic < topics; topic++) {
            var unused = admin.createTopic(NewTopic.of(name(topic), share(topic, topics, partitions)));
        }
        line("create           %.1f s for %d topics of %d partitions in all", seconds(making), topics, partitions);
        long putting = System.nanoTime();
        for (int topic = 0; topic < topics; topic++) {
            for (int partition = 0; partition < share(topic, topics, partitions); partition++) {
                require(200, 201, send(endpoint, "POST", messages(topic, partition)));
            }
        }
        line("first puts       %.1f s, one in each partition, one after another", seconds(putting));
    }

    private void readAll(SpawnedServer server, int topics, int partitions)
            throws IOException, CommandException, InterruptedException {
        TalosEndpoint endpoint = endpoint(server);
        for (int topic = 0; topic < topics; topic++) {
            for (int partition = 0; partition < share(topic, topics, partitions); partition++) {
                require(200, 200, send(endpoint, "GET", messages(topic, partition) + "?from=0&maxMessages=1"));
            }
        }
    }

    private void tellAtRest(SpawnedServer server, ServerState empty, int partitions, Duration rest)
            throws IOException, CommandException, InterruptedException {
        Thread.sleep(SETTLE.toMillis());
        Duration used = server.cpu();
        Thread.sleep(rest.toMillis());
        Duration cpu = server.cpu().minus(used);
        line("cpu              %.2f %% of one processor at rest", 100.0 * cpu.toMillis() / rest.toMillis());
        Timed topic = send(endpoint(server), "GET", "/v1/topics/" + name(0));
        line("describe         %.0f ms, one topic of %d bytes", topic.millis, topic.answer.body().length);
        Timed metrics =
                timed(HttpRequest.newBuilder(management.resolve("/metrics")).build());
        line("metrics          %.0f ms, a page of %d bytes", metrics.millis, metrics.answer.body().length);
        tell("with them", ServerState.of(server), empty, partitions);
    }

    private void tell(String when, ServerState now, ServerState empty, int partitions) throws IOException {
        line(
                "%-16s %d MiB heap alive, %d MiB resident, %d threads, %d open files: %d and %d bytes a partition",
                when,
                now.heapBytes() >> 20,
                now.residentBytes() >> 20,
                now.threads(),
                now.openFiles(),
                (now.heapBytes() - empty.heapBytes()) / partitions,
                (now.residentBytes() - empty.residentBytes()) / partitions);
    }

    private void awaitReady() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        HttpRequest ready =
                HttpRequest.newBuilder(management.resolve("/health/ready")).build();
        while (timed(ready).answer.statusCode() != 200) {
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new IOException("the server is not ready after " + PATIENCE.toMinutes() + " min: see " + log);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private TalosEndpoint endpoint(SpawnedServer server) throws CommandException {
        return Connection.fromFile(server.uri(), folder.resolve("data/admin.credentials"));
    }

    private Timed send(TalosEndpoint endpoint, String method, String path) throws IOException, InterruptedException {
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        boolean put = method.equals("POST");
        return timed(HttpRequest.newBuilder(endpoint.uri().resolve(path))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)))
                .header("Content-Type", "application/octet-stream")
                .method(method, put ? BodyPublishers.ofString("a message") : BodyPublishers.noBody())
                .build());
    }

    private Timed timed(HttpRequest request) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
        return new Timed(answer, (System.nanoTime() - begun) / MILLIS);
    }

    private static void require(int status, int orStatus, Timed got) throws IOException {
        int found = got.answer.statusCode();
        if (found != status && found != orStatus) {
            throw new IOException(
                    got.answer.uri() + ": " + found + " " + new String(got.answer.body(), StandardCharsets.UTF_8));
        }
    }

    private static String name(int topic) {
        return "partitions-" + topic;
    }

    private static int share(int topic, int topics, int partitions) {
        return partitions / topics + (topic < partitions % topics ? 1 : 0);
    }

    private static String messages(int topic, int partition) {
        return "/v1/topics/" + name(topic) + "/partitions/" + partition + "/messages";
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private void line(String format, Object... values) throws IOException {
        listener.line(String.format(Locale.ROOT, format, values));
    }
}
