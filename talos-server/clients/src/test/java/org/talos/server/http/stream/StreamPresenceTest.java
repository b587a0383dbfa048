// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.NewTopic;
import org.talos.server.testing.TestServer;

/** Reads of streams that wait for messages, of which each user may have one here. */
@Timeout(120)
class StreamPresenceTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final URI POLL = URI.create("/v1/topics/orders/partitions/0/messages?from=latest&wait=1");
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path data;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("HTTP_LIMITS_WAITINGPERUSER", "1"));
        server.admin().createTopic(NewTopic.of("orders", 1));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private boolean somebodyWaits() throws Exception {
        HttpRequest poll = HttpRequest.newBuilder(server.uri().resolve(POLL))
                .header("Authorization", StreamClient.basic(server.endpoint()))
                .build();
        return HttpClient.newHttpClient().send(poll, BodyHandlers.discarding()).statusCode() == 429;
    }

    private StreamClient subscribed() throws Exception {
        StreamClient stream = StreamClient.open(server.endpoint(), STREAM);
        await().atMost(SOON).until(() -> {
            stream.send(Sent.subscribe(0, -1)); // again if the question before had the place
            return somebodyWaits();
        });
        return stream;
    }

    @Test
    void readIsOverWhenItsClientHasLeft() throws Exception {
        try (StreamClient stream = subscribed()) {
            assertThat(stream).isNotNull();
        }

        await().atMost(SOON).until(() -> !somebodyWaits());
    }

    @Test
    void readIsOverWhenItsSubscriptionIs() throws Exception {
        try (StreamClient stream = subscribed()) {
            stream.send(Sent.unsubscribe(0));

            await().atMost(SOON).until(() -> !somebodyWaits());
        }
    }
}
