// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.HttpConfig;
import org.talos.server.config.TlsConfig;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.testing.OwnCertificate;

/** The same calls in each protocol and mode, and what is in flight when the front end closes. */
@Timeout(60)
final class FrontEndProtocolsTest {
    private static final Set<String> CLIENTS_OWN = Set.of("Host", "Content-Length");

    /** Sockets buffer less than such a body, so a client can finish only if the server reads it. */
    private static final int LARGE = 16 << 20;

    @TempDir
    private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    private FrontEndFixture fixture(HttpConfig config) throws Exception {
        return opened(new FrontEndFixture(directory, config));
    }

    private FrontEndFixture opened(FrontEndFixture fixture) {
        opened.add(fixture);
        return fixture;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** Checks that a peer that plays both sides of an upgrade, as a proxy may, gets no requests behind it. */
    @Test
    void upgradeIsPassedOver() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.config());
        SignedCall call = fixture.put("block")
                .with("Connection", "Upgrade, HTTP2-Settings")
                .with("Upgrade", "h2c")
                .with("HTTP2-Settings", "AAMAAABkAAQAAP__");
        SignedCall without = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[0])
                .with("Connection", "Upgrade, HTTP2-Settings")
                .with("Upgrade", "h2c")
                .with("HTTP2-Settings", "AAMAAABkAAQAAP__");
        try (RawConnection connection = fixture.connect()) {
            assertThat(connection.send(call.bytes()).reply().status()).isEqualTo(200);
            assertThat(connection.send(without.bytes()).reply().status()).isEqualTo(200);
        }
    }

    @Test
    void http2InTheClearNeedsNoUpgrade() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.config());
        org.eclipse.jetty.client.HttpClient client = http2Client();

        ContentResponse served = send(client, fixture, fixture.put("block"));
        ContentResponse refused = send(client, fixture, fixture.put("block").without("Authorization"));
        ContentResponse servedAgain = send(client, fixture, fixture.put("block"));

        assertThat(served.getVersion()).isEqualTo(HttpVersion.HTTP_2);
        assertThat(served.getStatus()).isEqualTo(200);
        assertThat(served.getContentAsString()).isEqualTo("done");
        assertThat(refused.getStatus()).isEqualTo(401);
        assertThat(refused.getMediaType()).isEqualTo("text/plain");
        assertThat(refused.getHeaders().get("X-Xiaomi-Timestamp")).isEqualTo(Long.toString(SignedCall.NOW));
        assertThat(servedAgain.getStatus()).isEqualTo(200);
        await().untilAsserted(() -> assertThat(fixture.budget.used()).isZero());
    }

    @Test
    void bodiesTooLargeAreRefusedOverHttp2Too() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.config());
        SignedCall large = fixture.put("x".repeat(FrontEndFixture.MAX_BODY_BYTES + 1));

        try {
            assertThat(send(http2Client(), fixture, large).getStatus()).isEqualTo(413);
        } catch (ExecutionException e) {
            // The refusal ends the stream; a client that is still sending may notice that before it reads the status.
            assertThat(e.toString()).containsAnyOf("dropped", "cancel_stream_error", "reset");
        }
        assertThat(fixture.calls).isEmpty();
        await().untilAsserted(() -> assertThat(fixture.budget.used()).isZero());
    }

    private org.eclipse.jetty.client.HttpClient http2Client() throws Exception {
        org.eclipse.jetty.client.HttpClient client =
                new org.eclipse.jetty.client.HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));
        client.start();
        opened.add(0, client::stop);
        return client;
    }

    private static ContentResponse send(
            org.eclipse.jetty.client.HttpClient client, FrontEndFixture fixture, SignedCall call) throws Exception {
        Request request = client.POST("http://127.0.0.1:" + fixture.port() + call.path())
                .body(new BytesRequestContent("application/octet-stream", call.body()));
        call.headers().forEach((name, value) -> {
            if (!CLIENTS_OWN.contains(name)) {
                request.headers(headers -> headers.put(name, value));
            }
        });
        return request.timeout(20, TimeUnit.SECONDS).send();
    }

    @Test
    void tlsOffersHttp2AndHttp11() throws Exception {
        OwnCertificate certificate = OwnCertificate.in(directory);
        FrontEndFixture fixture = fixture(
                FrontEndFixture.withTls(new TlsConfig(certificate.keyStore().toString(), OwnCertificate.PASSWORD)));
        HttpClient client =
                HttpClient.newBuilder().sslContext(certificate.trusted()).build();

        for (HttpClient.Version version : HttpClient.Version.values()) {
            HttpResponse<String> reply = client.send(
                    request(fixture.put("block"), "https", fixture.port(), version),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(reply.version()).isEqualTo(version);
            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(reply.body()).isEqualTo("done");
        }
    }

    private static HttpRequest request(SignedCall call, String scheme, int port, HttpClient.Version version) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(scheme + "://127.0.0.1:" + port + call.path() + "?id=1b2c3d4e&type=putMessage"))
                .version(version)
                .POST(HttpRequest.BodyPublishers.ofByteArray(call.body()));
        for (Map.Entry<String, String> header : call.headers().entrySet()) {
            if (!CLIENTS_OWN.contains(header.getKey())) {
                request.header(header.getKey(), header.getValue());
            }
        }
        return request.build();
    }

    @Test
    void manyCallsWaitAtOnceOnFewThreads() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.withBodies(1 << 20));
        List<CompletableFuture<ServiceAnswer>> held = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            held.add(new CompletableFuture<>());
        }
        fixture.services = request -> held.get(
                Integer.parseInt(UTF_8.decode(request.body().duplicate()).toString()));
        List<RawConnection> connections = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            connections.add(
                    fixture.connect().send(fixture.put(Integer.toString(i)).bytes()));
        }
        await().until(() -> fixture.calls.size() == held.size());
        for (int i = held.size() - 1; i >= 0; i--) {
            held.get(i).complete(fixture.answer("answer " + i));
            assertThat(connections.get(i).reply().text()).isEqualTo("answer " + i);
            connections.get(i).close();
        }
    }

    @Test
    void closeAnswersWhatIsInFlightAndTakesNothingMore() throws Exception {
        FrontEndFixture fixture =
                opened(new FrontEndFixture(directory, FrontEndFixture.config(), Duration.ofSeconds(20)));
        CompletableFuture<ServiceAnswer> held = new CompletableFuture<>();
        fixture.services = request -> held;
        int port = fixture.port();
        try (RawConnection connection = fixture.connect()) {
            connection.send(fixture.put("block").bytes());
            await().until(() -> fixture.calls.size() == 1);

            CompletableFuture<Void> closing = CompletableFuture.runAsync(fixture.frontEnd::close);
            await().until(() -> isRefused(port));
            assertThat(closing).isNotDone();
            held.complete(fixture.answer("done"));

            assertThat(connection.reply().text()).isEqualTo("done");
            assertThat(closing).succeedsWithin(20, TimeUnit.SECONDS);
        }
        assertThat(fixture.deliveries).containsExactly(true);
        fixture.frontEnd.close(); // a second time
    }

    private static boolean isRefused(int port) {
        try {
            new RawConnection(port).close();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void keyHolderLearnsOfItsClockThoughItSendsALargeBodyFirst() throws Exception {
        assertRefusedAfterItsBody(fixture -> fixture.now = fixture.now.plusSeconds(5_000), 412);
    }

    @Test
    void keyHolderLearnsOfTheLackOfMemoryThoughItSendsALargeBodyFirst() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.withBodies(LARGE, 3 * LARGE));
        assertThat(fixture.budget.tryReserve(5 * LARGE / 2)).isTrue();

        assertRefusedAfterItsBody(
                fixture, SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[LARGE]), 503);
    }

    @Test
    void keyHolderLearnsThatItsBodyNeverFitsThoughItSendsItFirst() throws Exception {
        assertRefusedAfterItsBody(fixture -> {}, 413);
    }

    @Test
    void keyHolderLearnsThatItsQueryWasChangedThoughItSendsALargeBodyFirst() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.withBodies(LARGE));
        SignedCall changed = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[LARGE])
                .with("X-Xiaomi-Request-Digest", "v1:00")
                .signed(fixture.ada);

        assertRefusedAfterItsBody(fixture, changed, 401);
    }

    private void assertRefusedAfterItsBody(Consumer<FrontEndFixture> spoil, int status) throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.withBodies(LARGE));
        SignedCall call = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[LARGE]);
        spoil.accept(fixture);
        assertRefusedAfterItsBody(fixture, call, status);
    }

    private static void assertRefusedAfterItsBody(FrontEndFixture fixture, SignedCall call, int status)
            throws Exception {
        try (RawConnection connection = fixture.connect()) {
            for (int i = 0; i < 2; i++) {
                assertThat(connection.send(call.bytes()).reply().status()).isEqualTo(status);
            }
        }
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void nothingIsReadOfTheBodyOfOneWithoutKey() throws Exception {
        FrontEndFixture fixture = fixture(FrontEndFixture.config());
        try (RawConnection connection = fixture.connect()) {
            SignedCall unsigned = fixture.put("block").without("Authorization");

            assertThat(connection.send(unsigned.head()).reply().status()).isEqualTo(401);
            assertThat(connection.atEnd()).isTrue();
        }
    }
}
