// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.launcher.local.SpawnedServer;

/**
 * One run: a server with one durability, killed and started again under load, then read whole.
 *
 * <p>Confined: the main thread, but for writers and readers, which have threads of their own.
 */
final class KillRun {
    private static final String TOPIC = "kills";
    private static final Duration LEAST_LOAD = Duration.ofSeconds(1);
    private static final int LOOK_MILLIS = 10;

    private final KillSettings settings;
    private final Map<String, String> environment;
    private final Path folder;
    private final WriterMessages texts;
    private final Ledger ledger;
    private final List<Future<Long>> writing = new ArrayList<>();
    private final List<Future<Long>> reading = new ArrayList<>();
    private final List<SdkWriter> sdkWriters = new ArrayList<>();
    private volatile boolean ending;
    private volatile boolean written;

    /**
     * The findings of a run. Immutable.
     *
     * @param sent messages that writers began
     * @param acknowledged messages that were acknowledged as stored
     * @param there messages that were there in the end
     * @param slowestStart the longest from the start of a process until it acknowledged a put
     * @param abandoned what producers gave up after their delivery timeout, and why; empty if nothing
     */
    record Outcome(
            long sent,
            long acknowledged,
            long there,
            Duration slowestStart,
            String abandoned,
            long wrongs,
            List<String> firstWrongs) {}

    /**
     * A run that has not begun.
     *
     * @param environment of the server, without its durability
     * @param folder for its data and its log
     */
    KillRun(KillSettings settings, String durability, Map<String, String> environment, Path folder) {
        this.settings = settings;
        this.environment = new HashMap<>(environment);
        this.environment.put("TALOS_LOG_DURABILITY", durability);
        this.environment.put("TALOS_DATADIRECTORY", folder.resolve("data").toString());
        this.folder = folder;
        texts = new WriterMessages(settings.size());
        ledger = new Ledger(settings.writers().all());
    }

    Outcome run() throws IOException, TalosClientException, InterruptedException, CommandException {
        ExecutorService threads = Executors.newCachedThreadPool();
        SpawnedServer server = start();
        try {
            TalosEndpoint endpoint = Connection.fromFile(server.uri(), folder.resolve("data/admin.credentials"));
            ClientConfig config = ClientConfig.of(endpoint.uri(), endpoint.accessKey(), endpoint.secretKey());
            try (TalosClient client = new TalosClient(config)) {
                TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of(TOPIC, settings.partitions()));
                begin(threads, client, topic, endpoint);
                Duration slowest = Duration.ZERO;
                SplittableRandom dice = new SplittableRandom(settings.seed());
                for (int round = 0; round < settings.rounds(); round++) {
                    load(dice);
                    server.kill();
                    long begun = System.nanoTime();
                    server = start();
                    awaitAcknowledgement();
                    Duration took = Duration.ofNanos(System.nanoTime() - begun);
                    slowest = took.compareTo(slowest) > 0 ? took : slowest;
                }
                load(dice);
                return judged(threads, client, topic, slowest);
            }
        } finally {
            ending = true;
            written = true;
            threads.shutdownNow();
            server.close();
        }
    }

    private SpawnedServer start() throws IOException {
        return SpawnedServer.start(
                org.talos.server.Main.class.getName(),
                List.of("-Xmx" + settings.heap()),
                environment,
                folder.resolve("server.log"));
    }

    private void awaitAcknowledgement() throws IOException, InterruptedException {
        long before = ledger.acknowledgements();
        while (ledger.acknowledgements() == before) {
            Thread.sleep(LOOK_MILLIS);
            refuseEnded();
        }
    }

    private void load(SplittableRandom dice) throws IOException, InterruptedException {
        Thread.sleep(dice.nextLong(LEAST_LOAD.toMillis(), settings.longestLoad().toMillis() + 1));
        refuseEnded();
    }

    private void refuseEnded() throws IOException, InterruptedException {
        for (Future<Long> each : writing) {
            if (each.isDone()) {
                var unused = result(each); // it failed, since nobody asked it to end
            }
        }
    }

    private void begin(ExecutorService threads, TalosClient client, TopicDescription topic, TalosEndpoint endpoint) {
        HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(threads)
                .build();
        for (int number = 0; number < settings.writers().rest(); number++) {
            int writer = number;
            RestWriter rest = new RestWriter(http, endpoint, TOPIC, texts, ledger);
            writing.add(threads.submit(() -> rest.run(writer, writer % settings.partitions(), () -> ending)));
        }
        for (int number = 0; number < settings.writers().sdk(); number++) {
            int writer = settings.writers().rest() + number;
            SdkWriter sdk = new SdkWriter(client, TOPIC, texts, ledger);
            sdkWriters.add(sdk);
            writing.add(threads.submit(() -> sdk.run(writer, () -> ending)));
        }
        for (int partition = 0; partition < settings.partitions(); partition++) {
            PartitionReading each = new PartitionReading(client, topic, partition, texts, ledger, ledger::seen);
            reading.add(threads.submit(() -> each.until(() -> written)));
        }
    }

    private Outcome judged(ExecutorService threads, TalosClient client, TopicDescription topic, Duration slowest)
            throws IOException, InterruptedException {
        ending = true;
        long sent = sum(writing);
        written = true;
        var unused = sum(reading);
        List<Callable<Long>> last = new ArrayList<>();
        for (int partition = 0; partition < settings.partitions(); partition++) {
            last.add(new PartitionReading(client, topic, partition, texts, ledger, ledger::left)::toTheEnd);
        }
        long there = sum(threads.invokeAll(last));
        long acknowledged = ledger.compare();
        return new Outcome(sent, acknowledged, there, slowest, abandoned(), ledger.wrongs(), ledger.firstWrongs());
    }

    private String abandoned() {
        return sdkWriters.stream()
                .filter(each -> each.unknown() > 0)
                .map(each -> format("%,d messages: %s", each.unknown(), each.firstFailure()))
                .collect(Collectors.joining("; "));
    }

    private static long sum(List<Future<Long>> futures) throws IOException, InterruptedException {
        long sum = 0;
        for (Future<Long> each : futures) {
            sum += result(each);
        }
        return sum;
    }

    private static long result(Future<Long> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getMessage()), e.getCause()); // whose class is in the text
        }
    }
}
