// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.quickstart;

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
import java.util.function.Consumer;
import org.talos.client.FetchedMessage;
import org.talos.client.SimpleConsumer;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;

/**
 * The same messages from the other side: what was put by Thrift is got by REST, what is put by REST is got by Thrift.
 *
 * <p>Thread-safe: a partition is one thread's.
 */
final class RestTrip {
    /** Raw puts to each partition. */
    static final int PUTS = 50;

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TalosEndpoint endpoint;
    private final TopicDescription topic;
    private final Workload workload;
    private final RoundTrip before;
    private final Consumer<String> differences;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** After a round trip whose messages are all there. */
    RestTrip(
            TalosEndpoint endpoint,
            TopicDescription topic,
            Workload workload,
            RoundTrip before,
            Consumer<String> differences) {
        this.endpoint = endpoint;
        this.topic = topic;
        this.workload = workload;
        this.before = before;
        this.differences = differences;
    }

    /** Gets by REST what Thrift has put, and compares each. */
    void get(Phase phase) throws TalosClientException, InterruptedException {
        phase.run(workload.partitions(), partition -> {
            int expected = workload.count(partition);
            int got = 0;
            while (got < expected) {
                long start = System.nanoTime();
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
                    differences.accept("by REST partition " + partition + " ends after " + got + " of " + expected);
                    return;
                }
            }
        });
    }

    private JsonNode read(int partition, long from) {
        HttpRequest request = request(partition, "?as=base64&maxMessages=500&maxBytes=4000000&from=" + from)
                .build();
        try {
            return JSON.readTree(send(request, OK).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts by REST, raw, and compares what Thrift gets. */
    void put(Phase phase) throws TalosClientException, InterruptedException {
        phase.run(workload.partitions(), partition -> {
            for (int i = 0; i < PUTS; i++) {
                byte[] body = body(partition, i);
                HttpRequest request = request(partition, "")
                        .POST(BodyPublishers.ofByteArray(body))
                        .build();
                long start = System.nanoTime();
                send(request, CREATED);
                phase.called(start, 1, body.length);
            }
            compareByThrift(partition);
        });
    }

    private void compareByThrift(int partition) throws TalosClientException {
        SimpleConsumer consumer = new SimpleConsumer(endpoint, topic, partition);
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
            differences.accept("partition " + partition + " has " + got + " of " + PUTS + " messages put by REST");
        }
    }

    private byte[] body(int partition, int number) {
        return workload.body(partition, number % workload.count(partition));
    }

    private void compare(int partition, int number, long offset, byte[] body, byte[] expected) {
        if (offset != before.base(partition) + number || !Arrays.equals(body, expected)) {
            differences.accept("REST and Thrift differ in partition " + partition + " at offset " + offset);
        }
    }

    private HttpRequest.Builder request(int partition, String query) {
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        URI uri =
                endpoint.uri().resolve("/v1/topics/" + topic.name() + "/partitions/" + partition + "/messages" + query);
        return HttpRequest.newBuilder(uri)
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
    }

    private HttpResponse<byte[]> send(HttpRequest request, int expected) {
        try {
            HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
            if (response.statusCode() != expected) {
                throw new IllegalStateException("REST answered " + response.statusCode() + ": "
                        + new String(response.body(), StandardCharsets.UTF_8));
            }
            return response;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
