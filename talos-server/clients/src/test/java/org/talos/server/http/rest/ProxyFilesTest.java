// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;
import org.talos.client.TalosEndpoint;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;

/** The files of docs/proxies, each in the program that it is for, between a client at another address and a server. */
@Timeout(120)
@ResourceLock("org.talos.requests") // the level of that logger
@SuppressWarnings("try")
@Tag("full") // processes
@Tag("servers")
class ProxyFilesTest {
    private static final Path FILES = Path.of(System.getProperty("talos.root"), "docs", "proxies");
    private static final Logger REQUESTS = (Logger) LoggerFactory.getLogger("org.talos.requests");
    private static final String CLIENT = "127.0.0.2"; // a loopback address, which must not count as this machine's
    private static final String MESSAGES = "/v1/topics/orders/partitions/0/messages";
    private static final int LARGEST = 3_300;

    @TempDir
    private Path directory;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private OwnCertificate certificate;
    private Path pem;
    private Path key;
    private int port;

    @BeforeEach
    void prepare() throws Exception {
        lines.start();
        REQUESTS.setLevel(Level.INFO);
        REQUESTS.addAppender(lines);
        certificate = OwnCertificate.in(directory, "-validity", "2");
        KeyStore store = KeyStore.getInstance(certificate.keyStore().toFile(), OwnCertificate.PASSWORD.toCharArray());
        key = Files.writeString(
                directory.resolve("talos.key"),
                pem(
                        "PRIVATE KEY",
                        store.getKey("talos", OwnCertificate.PASSWORD.toCharArray())
                                .getEncoded()));
        pem = Files.writeString(
                directory.resolve("talos.pem"),
                pem("CERTIFICATE", store.getCertificate("talos").getEncoded()) + Files.readString(key));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
    }

    @AfterEach
    void forget() {
        REQUESTS.detachAppender(lines);
        REQUESTS.setLevel(null);
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + what + "-----\n";
    }

    private static String program(String name) {
        Optional<String> found = Stream.concat(
                        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)), Stream.of("/usr/sbin"))
                .map(each -> Path.of(each).resolve(name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
        assumeTrue(found.isPresent(), "there is no " + name + " on the path (Debian: apt-get install " + name + ")");
        return found.orElseThrow();
    }

    /** A file as an operator has it, with what is another one's here. */
    private static String file(String name, Map<String, String> changes) throws IOException {
        String text = Files.readString(FILES.resolve(name));
        for (Map.Entry<String, String> each : changes.entrySet()) {
            assertThat(text).contains(each.getKey());
            text = text.replace(each.getKey(), each.getValue());
        }
        return text;
    }

    /** A program that is asked through a port. Confined: the test. */
    private record Proxy(Process process) implements AutoCloseable {
        @Override
        public void close() {
            process.destroy();
            await().atMost(Duration.ofSeconds(20)).until(() -> !process.isAlive());
        }
    }

    private Proxy proxy(String... command) throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Proxy proxy = new Proxy(process);
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
                    new Socket(InetAddress.getLoopbackAddress(), port).close();
                    return true;
                });
        return proxy;
    }

    private Proxy nginx(TestServer server) throws Exception {
        String program = program("nginx");
        String site = file(
                "nginx.conf",
                Map.of(
                        "listen 443 ssl",
                        "listen 127.0.0.1:" + port + " ssl",
                        "127.0.0.1:8080",
                        "127.0.0.1:" + server.uri().getPort(),
                        "/etc/nginx/talos.pem",
                        pem.toString(),
                        "/etc/nginx/talos.key",
                        key.toString()));
        String paths = Stream.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
                .map(each -> each + "_temp_path " + directory.resolve(each) + ";\n")
                .reduce("", String::concat);
        Path main = Files.writeString(
                directory.resolve("nginx.conf"),
                "daemon off;\nmaster_process off;\npid " + directory.resolve("pid")
                        + ";\nevents {}\nhttp {\naccess_log off;\n" + paths + site + "}\n");
        return proxy(
                program,
                "-p",
                directory.toString(),
                "-e",
                directory.resolve("error.log").toString(),
                "-c",
                main.toString());
    }

    private Proxy haproxy(String name, TestServer server, Map<String, String> more) throws Exception {
        String program = program("haproxy");
        Map<String, String> changes = new HashMap<>(more);
        changes.put("bind :443", "bind 127.0.0.1:" + port);
        changes.put("127.0.0.1:8080", "127.0.0.1:" + server.uri().getPort());
        Path file = Files.writeString(directory.resolve(name), file(name, changes));
        return proxy(program, "-db", "-f", file.toString());
    }

    private static TestServer server(Path data, Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("HTTP_TRUSTEDPROXIES", "127.0.0.1");
        return TestServer.start(data, settings);
    }

    private SSLSocket connect() throws Exception {
        Socket plain = new Socket();
        plain.bind(new InetSocketAddress(CLIENT, 0));
        plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        plain.setSoTimeout(20_000);
        return (SSLSocket) certificate.trusted().getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
    }

    private static void write(SSLSocket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
        socket.getOutputStream().flush();
    }

    /** Answers to the client's whole requests, and the bytes that reach it meanwhile. */
    private void assertServed(TestServer server) throws Exception {
        TalosEndpoint admin =
                TestServer.endpoint(server.uri(), directory.resolve("data")); // its key, by whatever way it goes
        String head =
                "Host: localhost\r\nAuthorization: " + RestFixture.basic(admin.accessKey(), admin.secretKey()) + "\r\n";
        String ofJson = head + "Connection: close\r\nContent-Type: application/json\r\n";

        assertThat(exchanged("POST /v1/topics", ofJson, RestFixture.json("{'name':'orders','partitions':1}")))
                .startsWith("HTTP/1.1 201");
        String large = "a".repeat(LARGEST);
        assertThat(exchanged(
                        "POST " + MESSAGES, head + "Connection: close\r\nTalos-Header-A: " + large + "\r\n", "one"))
                .startsWith("HTTP/1.1 201");
        assertThat(exchanged("GET " + MESSAGES + "/0", head + "Connection: close\r\n", ""))
                .startsWith("HTTP/1.1 200")
                .containsIgnoringCase("talos-header-a: " + large)
                .contains("\r\n\r\none");
        assertEventsComeAtOnce(head, ofJson);
        assertLinesAreAnsweredAtOnce(head);
        assertStreamOpens(head);
        assertThat(clients()).isNotEmpty().allMatch(CLIENT::equals);
    }

    private String exchanged(String line, String head, String body) throws Exception {
        try (SSLSocket socket = connect()) {
            String length = body.isEmpty() ? "" : "Content-Length: " + body.getBytes(UTF_8).length + "\r\n";
            write(socket, line + " HTTP/1.1\r\nX-Request-Id: of-the-client\r\n" + head + length + "\r\n" + body);
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    private static String lineWith(BufferedReader in, String part) throws IOException {
        String line = in.readLine();
        while (line != null && !line.contains(part)) {
            line = in.readLine();
        }
        return String.valueOf(line);
    }

    private static BufferedReader reader(SSLSocket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    private void assertEventsComeAtOnce(String head, String ofJson) throws Exception {
        try (SSLSocket socket = connect()) {
            write(socket, "GET /v1/topics/orders/partitions/0/events HTTP/1.1\r\n" + head + "\r\n");
            BufferedReader in = reader(socket);
            assertThat(lineWith(in, "HTTP/1.1")).contains("200");
            assertThat(lineWith(in, ":")).isNotEqualTo("null");

            String message = RestFixture.json("{'messages':[{'value':'at once'}]}");
            assertThat(exchanged("POST " + MESSAGES, ofJson, message)).startsWith("HTTP/1.1 200");

            assertThat(lineWith(in, "data:")).contains("at once");
        }
    }

    private void assertLinesAreAnsweredAtOnce(String head) throws Exception {
        try (SSLSocket socket = connect()) {
            write(
                    socket,
                    "POST " + MESSAGES + " HTTP/1.1\r\n" + head
                            + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
            BufferedReader in = reader(socket);
            for (int i = 1; i <= 3; i++) {
                String line = RestFixture.json("{'value':'line " + i + "'}\n");
                write(socket, Integer.toHexString(line.length()) + "\r\n" + line + "\r\n");
                assertThat(lineWith(in, "\"line\":" + i)).contains("\"offset\":");
            }
            write(socket, "0\r\n\r\n");
        }
    }

    private void assertStreamOpens(String head) throws Exception {
        try (SSLSocket socket = connect()) {
            write(
                    socket,
                    "GET /v1/topics/orders/stream HTTP/1.1\r\n" + head
                            + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: talos.v1\r\n\r\n");
            assertThat(lineWith(reader(socket), "HTTP/1.1")).contains(" 101 ");
        }
    }

    /** The addresses that the log has of the client's requests. */
    private List<String> clients() {
        return List.copyOf(lines.list).stream()
                .map(ILoggingEvent::getKeyValuePairs)
                .filter(pairs -> pairs.stream().anyMatch(pair -> "of-the-client".equals(pair.value)))
                .flatMap(pairs -> pairs.stream().filter(pair -> pair.key.equals("client")))
                .map(pair -> String.valueOf(pair.value))
                .toList();
    }

    @Test
    void nginxThatSpeaksTlsNamesItsClientsAndHoldsNothingBack() throws Exception {
        try (TestServer server = server(directory.resolve("data"), Map.of());
                Proxy proxy = nginx(server)) {
            assertThat(proxy.process.isAlive()).isTrue();
            assertServed(server);
        }
    }

    @Test
    void haproxyThatSpeaksTlsNamesItsClientsAndHoldsNothingBack() throws Exception {
        try (TestServer server = server(directory.resolve("data"), Map.of());
                Proxy proxy = haproxy("haproxy.cfg", server, Map.of("/etc/haproxy/talos.pem", pem.toString()))) {
            assertThat(proxy.process.isAlive()).isTrue();
            assertServed(server);
        }
    }

    @Test
    void haproxyThatPassesOnBytesNamesItsClients() throws Exception {
        Map<String, String> tls = Map.of(
                "HTTP_PROXYPROTOCOL",
                "true",
                "HTTP_TLS_KEYSTORE",
                certificate.keyStore().toString(),
                "HTTP_TLS_KEYSTOREPASSWORD",
                OwnCertificate.PASSWORD);
        try (TestServer server = server(directory.resolve("data"), tls);
                Proxy proxy = haproxy("haproxy-tcp.cfg", server, Map.of())) {
            assertThat(proxy.process.isAlive()).isTrue();
            assertServed(server);
        }
    }
}
