// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * Compares the two interfaces: gets over REST the messages that were put by Thrift, and the reverse.
 *
 * <p>Thread-safe: one thread uses each partition.
 */
final class RestTrip {
    private static final Ticker CLOCK = SystemTime.ticker();
    /** Raw puts to each partition. */
    static final int PUTS = 50;

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int SERVERS_FAULT = 500;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClientConfig servers;
    private final TalosClient thrift;
    private final TopicDescription topic;
    private final Workload workload;
    private final RoundTrip before;
    private final String run = UUID.randomUUID().toString(); // a put is stored once, even if it is sent again
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Creates the trip, after a round trip that has found all messages. */
    RestTrip(ClientConfig servers, TalosClient thrift, TopicDescription topic, Workload workload, RoundTrip before) {
        this.servers = servers;
        this.thrift = thrift;
        this.topic = topic;
        this.workload = workload;
        this.before = before;
    }

    /** Gets over REST the messages that were put by Thrift, and compares each. */
    void get(Phase phase) throws TalosClientException, InterruptedException {
        phase.run(workload.partitions(), partition -> {
            int expected = workload.count(partition);
            int got = 0;
            while (got < expected) {
                long start = CLOCK.nanos();
                JsonNode read = read(partition, before.base(partition) + got);
                long bytes = 0;
                for (JsonNode message : read.get("messages")) {
                    byte[] body =
                            Base64.getDecoder().decode(message.get("base64").textValue());
                    bytes += body.length;
                    compare(partition, got, message.get("offset").longValue(), body, workload.body(partition, got));
                    got++;
                }
                phase.called(start, read.get("messages").size(), bytes);
                if (read.get("messages").isEmpty()) {
                    before.differs("by REST partition " + partition + " ends after " + got + " of " + expected);
                    return;
                }
            }
        });
    }

    private JsonNode read(int partition, long from) {
        try {
            return JSON.readTree(send(
                            server -> request(
                                            server,
                                            partition,
                                            "?as=base64&maxMessages=500&maxBytes=4000000&from=" + from)
                                    .build(),
                            OK)
                    .body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts over REST, raw, and compares the messages that Thrift gets. */
    void put(Phase phase) throws TalosClientException, InterruptedException {
        phase.run(workload.partitions(), partition -> {
            for (int i = 0; i < PUTS; i++) {
                byte[] body = body(partition, i);
                String key = run + "-" + partition + "-" + i;
                long start = CLOCK.nanos();
                send(
                        server -> request(server, partition, "")
                                .header("Idempotency-Key", key)
                                .POST(BodyPublishers.ofByteArray(body))
                                .build(),
                        CREATED);
                phase.called(start, 1, body.length);
            }
            compareByThrift(partition);
        });
    }

    private void compareByThrift(int partition) throws TalosClientException {
        SimpleConsumer consumer = new SimpleConsumer(thrift, topic, partition);
        long first = before.base(partition) + workload.count(partition);
        int got = 0;
        for (List<FetchedMessage> messages = consumer.fetch(first, PUTS);
                !messages.isEmpty();
                messages = consumer.fetch(first + got, PUTS)) {
            for (FetchedMessage message : messages) {
                compare(
                        partition,
                        workload.count(partition) + got,
                        message.offset(),
                        message.body(),
                        body(partition, got));
                got++;
            }
        }
        if (got != PUTS) {
            before.differs("partition " + partition + " has " + got + " of " + PUTS + " messages put by REST");
        }
    }

    private byte[] body(int partition, int number) {
        return workload.body(partition, number % workload.count(partition));
    }

    private void compare(int partition, int number, long offset, byte[] body, byte[] expected) {
        if (offset != before.base(partition) + number || !Arrays.equals(body, expected)) {
            before.differs("REST and Thrift differ in partition " + partition + " at offset " + offset);
        }
    }

    private HttpRequest.Builder request(URI server, int partition, String query) {
        String pair = servers.accessKey() + ":" + servers.secretKey();
        URI uri = URI.create(server + "/v1/topics/" + topic.name() + "/partitions/" + partition + "/messages" + query);
        return HttpRequest.newBuilder(uri)
                .timeout(servers.timeout())
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
    }

    /** Tries one server after another, as long as calls are repeated by the SDK too. */
    private HttpResponse<byte[]> send(Function<URI, HttpRequest> request, int expected) {
        long until = CLOCK.nanos() + servers.deadline().toNanos();
        for (int attempt = 0; ; attempt++) {
            URI server = servers.endpoints().get(attempt % servers.endpoints().size());
            String failure;
            try {
                HttpResponse<byte[]> response = client.send(request.apply(server), BodyHandlers.ofByteArray());
                if (response.statusCode() == expected) {
                    return response;
                }
                failure = "REST answered " + response.statusCode() + ": "
                        + new String(response.body(), StandardCharsets.UTF_8);
                if (response.statusCode() < SERVERS_FAULT) {
                    throw new IllegalStateException(failure);
                }
            } catch (IOException e) {
                failure = "REST did not answer: " + e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
            if (CLOCK.nanos() - until > 0) {
                throw new IllegalStateException(failure);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
