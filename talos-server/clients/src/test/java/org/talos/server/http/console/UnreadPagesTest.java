// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosEndpoint;
import org.talos.server.testing.TestServer;

/** Clients without a key that ask for large public pages and never read them. */
@Timeout(60)
class UnreadPagesTest {
    private static final int CONNECTIONS = 40;
    private static final int UNREAD_WINDOW_BYTES = 4 << 10;
    private static final int REQUESTS = 8; // on each connection: the kernel's buffers take several pages
    private static final int STATUS_BYTES = 12; // HTTP/1.1 200
    private static final Pattern BUILD = Pattern.compile("\"([0-9a-f]{24})/");

    @TempDir
    private Path data;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Socket> unread = new ArrayList<>();
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("HTTP_MAXREQUESTMEMORYBYTES", "32MiB"));
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : unread) {
            socket.close();
        }
        server.close();
    }

    private HttpResponse<String> get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + path))
                .timeout(Duration.ofSeconds(20))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private int signIn() throws Exception {
        TalosEndpoint admin = server.endpoint();
        String body = "{\"accessKey\":\"" + admin.accessKey() + "\",\"secretKey\":\"" + admin.secretKey() + "\"}";
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + "/v1/session"))
                .timeout(Duration.ofSeconds(20))
                .POST(BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    private String largestPage() throws Exception {
        Matcher build = BUILD.matcher(get("/docs/api/").body());
        assertThat(build.find()).isTrue();
        return "/docs/api/" + build.group(1) + "/lib/swagger-ui/swagger-ui-bundle.js";
    }

    /** Asks for a page several times and reads the first status only. */
    private String leaveUnread(String path) throws IOException {
        Socket socket = new Socket();
        unread.add(socket);
        socket.setReceiveBufferSize(UNREAD_WINDOW_BYTES);
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), server.uri().getPort()));
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.repeat(REQUESTS).getBytes(US_ASCII));
        return new String(socket.getInputStream().readNBytes(STATUS_BYTES), US_ASCII);
    }

    @Test
    void fortyUnreadPagesKeepNobodyFromSigningIn() throws Exception {
        String page = largestPage();
        assertThat(get(page).body().length()).isGreaterThan(1 << 20);
        for (int i = 0; i < CONNECTIONS; i++) {
            assertThat(leaveUnread(page)).isEqualTo("HTTP/1.1 200");
        }

        assertThat(get("/console/").statusCode()).isEqualTo(200);
        assertThat(signIn()).isEqualTo(200);
    }

    @Test
    void unreadDescriptionsOfTheRestInterfaceCountAsLittle() throws Exception {
        for (int i = 0; i < CONNECTIONS * 5; i++) {
            assertThat(leaveUnread("/v1/openapi.json")).isEqualTo("HTTP/1.1 200");
        }

        assertThat(signIn()).isEqualTo(200);
    }

    @Test
    void pageInPiecesIsWhole() throws Exception {
        HttpResponse<String> answer = get(largestPage());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValueAsLong("Content-Length"))
                .hasValue(answer.body().getBytes(UTF_8).length);
    }
}
