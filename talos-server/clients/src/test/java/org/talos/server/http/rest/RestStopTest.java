// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.json;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;

/** Tests requests that wait when the server stops. */
@Timeout(60)
class RestStopTest {
    private static final String MESSAGES = "/v1/topics/orders/partitions/0/messages";
    private static final String EVENTS = "/v1/topics/orders/partitions/0/events";
    private static final String MEMBERS = "/v1/topics/orders/groups/readers/members";
    /** Memory that counts for each request in flight. */
    private static final int REQUEST_BYTES = 2 << 10;

    @TempDir
    private Path data;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private CompletableFuture<HttpResponse<String>> sent(HttpRequest request) {
        return client.sendAsync(request, BodyHandlers.ofString());
    }

    private long memoryOfRequests(RestFixture rest) throws Exception {
        URI metrics = rest.server.managementUri().resolve("/metrics");
        return client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("talos_http_request_memory_bytes "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static List<FetchedMessage> poll(SimpleConsumer consumer) {
        try {
            return consumer.fetch(0, 10);
        } catch (TalosClientException e) {
            throw new CompletionException(e);
        }
    }

    @Test
    void whatWaitsIsAnsweredEmptyAtOnceAndTheStopTakesNoLonger() throws Exception {
        CompletableFuture<HttpResponse<String>> get;
        CompletableFuture<HttpResponse<String>> fetch;
        CompletableFuture<HttpResponse<String>> events;
        CompletableFuture<List<FetchedMessage>> poll;
        long begin;
        try (RestFixture rest = new RestFixture(
                data,
                Map.of("SERVICE_SHUTDOWNGRACE", "30s", "SERVICE_MAXLONGPOLL", "20s", "SERVICE_MAXDEADLINE", "60s"))) {
            rest.createTopic("orders", 1);
            String member = rest.post(MEMBERS, BodyPublishers.noBody())
                    .json()
                    .get("member")
                    .textValue();
            TopicDescription topic = rest.server.admin().describeTopic("orders");
            SimpleConsumer consumer = new SimpleConsumer(new TalosClient(rest.server.endpoint()).once(), topic, 0);
            await().until(() -> memoryOfRequests(rest) == 0);

            get = sent(rest.request(MESSAGES + "?wait=20000").build());
            fetch = sent(rest.request(MEMBERS + "/" + member + "/fetch")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(json("{'wait':20000}")))
                    .build());
            events = sent(rest.request(EVENTS).build());
            poll = CompletableFuture.supplyAsync(() -> poll(consumer));
            await().atMost(Duration.ofSeconds(15)).until(() -> memoryOfRequests(rest) >= 4 * REQUEST_BYTES);
            begin = System.nanoTime();
        }

        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(8));
        assertThat(get.get().statusCode()).isEqualTo(200);
        assertThat(get.get().body()).contains(json("'messages':[]"));
        assertThat(fetch.get().statusCode()).isEqualTo(200);
        assertThat(fetch.get().body()).contains(json("'messages':[]"), json("'partitions':[0]"));
        assertThat(poll.get()).isEmpty();
        assertThat(events.get().body()).contains("event: problem", "the server is stopping");
    }
}
