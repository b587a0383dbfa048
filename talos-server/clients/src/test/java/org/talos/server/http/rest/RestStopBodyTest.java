// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.AsyncRequestContent;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Puts whose bodies pause while the server stops. */
@Timeout(60)
class RestStopBodyTest {
    private static final String MESSAGES = "/v1/topics/orders/partitions/0/messages";

    /** Longer than a connection without requests is kept. */
    private static final Duration PAUSE = Duration.ofMillis(1_500);

    @TempDir
    private Path data;

    private RestFixture start(String grace) throws Exception {
        RestFixture rest = new RestFixture(data, Map.of("SERVICE_SHUTDOWNGRACE", grace));
        rest.createTopic("orders", 1);
        return rest;
    }

    private static String head(RestFixture rest, int length) {
        return "POST " + MESSAGES + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: "
                + length + "\r\nAuthorization: " + rest.authorization() + "\r\n\r\n";
    }

    private static Socket connect(RestFixture rest) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), rest.server.uri().getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static CompletableFuture<Void> stop(RestFixture rest) {
        return CompletableFuture.runAsync(rest::close);
    }

    private void awaitInFlight(RestFixture rest) {
        HttpRequest metrics = HttpRequest.newBuilder(rest.server.managementUri().resolve("/metrics"))
                .build();
        await().until(() -> HttpClient.newHttpClient()
                .send(metrics, BodyHandlers.ofString())
                .body()
                .lines()
                .anyMatch(line -> line.startsWith("talos_http_request_memory_bytes ") && !line.endsWith(" 0.0")));
    }

    private static void pause(CompletableFuture<Void> stopped) {
        await().during(PAUSE).atMost(Duration.ofSeconds(10)).until(() -> !stopped.isDone());
    }

    @Test
    void bodyThatPausesWhileTheServerStopsIsReadToItsEndAndStored() throws Exception {
        RestFixture rest = start("10s");
        try (Socket socket = connect(rest)) {
            socket.getOutputStream().write((head(rest, 4) + "bo").getBytes(UTF_8));
            awaitInFlight(rest);

            CompletableFuture<Void> stopped = stop(rest);
            pause(stopped);
            socket.getOutputStream().write("dy".getBytes(UTF_8));

            assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                    .startsWith("HTTP/1.1 201");
            stopped.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void bodyThatPausesWhileTheServerStopsIsReadToItsEndOverHttp2() throws Exception {
        RestFixture rest = start("10s");
        org.eclipse.jetty.client.HttpClient http2 =
                new org.eclipse.jetty.client.HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));
        http2.start();
        try (AsyncRequestContent body = new AsyncRequestContent("text/plain")) {
            body.write(ByteBuffer.wrap("bo".getBytes(UTF_8)), org.eclipse.jetty.util.Callback.NOOP);
            CompletableFuture<ContentResponse> put = new CompletableResponseListener(
                            http2.POST(rest.server.uri().resolve(MESSAGES))
                                    .headers(headers -> headers.put("Authorization", rest.authorization()))
                                    .body(body))
                    .send();
            awaitInFlight(rest);

            CompletableFuture<Void> stopped = stop(rest);
            pause(stopped);
            body.write(true, ByteBuffer.wrap("dy".getBytes(UTF_8)), org.eclipse.jetty.util.Callback.NOOP);

            assertThat(put.get(20, TimeUnit.SECONDS).getStatus()).isEqualTo(201);
            stopped.get(20, TimeUnit.SECONDS);
        } finally {
            http2.stop();
        }
    }

    @Test
    void putWhoseBodyDoesNotComeWithinTheGraceDidNotHappenAndMayBeRepeated() throws Exception {
        RestFixture rest = start("6s"); // it is refused a fifth of that before the end, when Jetty would refuse it
        try (Socket socket = connect(rest)) {
            socket.getOutputStream().write((head(rest, 4) + "bo").getBytes(UTF_8));
            awaitInFlight(rest);

            stop(rest).get(20, TimeUnit.SECONDS);

            assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                    .startsWith("HTTP/1.1 503")
                    .contains("\"retryable\":true", "\"outcome\":\"did-not-happen\"", "the server is stopping");
        }
    }

    @Test
    void requestWhoseHeadEndsAfterTheStopBeganIsToldThatTheServerIsStopping() throws Exception {
        RestFixture rest = start("20s");
        try (Socket inFlight = connect(rest);
                Socket late = connect(rest)) {
            inFlight.getOutputStream().write((head(rest, 4) + "bo").getBytes(UTF_8));
            awaitInFlight(rest);
            String head = head(rest, 0);
            late.getOutputStream().write(head.substring(0, 20).getBytes(UTF_8));

            CompletableFuture<Void> stopped = stop(rest);
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> rest.server.uri().getPort() < 0); // it listens no more
            late.getOutputStream().write(head.substring(20).getBytes(UTF_8));

            assertThat(new String(late.getInputStream().readAllBytes(), UTF_8))
                    .startsWith("HTTP/1.1 503")
                    .contains("\"retryable\":true", "\"outcome\":\"did-not-happen\"", "the server is stopping");
            inFlight.getOutputStream().write("dy".getBytes(UTF_8));
            stopped.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void bodyThatPausesForLongerThanConnectionsMayBeIdleIsRefusedAndDidNotHappen() throws Exception {
        try (RestFixture rest =
                        new RestFixture(data, Map.of("HTTP_IDLETIMEOUT", "1s", "HTTP_MINBODYBYTESPERSECOND", "1"));
                Socket socket = connect(rest)) {
            rest.createTopic("orders", 1);
            socket.getOutputStream().write((head(rest, 4) + "bo").getBytes(UTF_8));

            assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                    .startsWith("HTTP/1.1 408")
                    .contains("\"outcome\":\"did-not-happen\"");
        }
    }
}
