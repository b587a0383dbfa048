// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.json;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.talos.client.TalosEndpoint;
import org.talos.server.http.client.ProxyHeaderLog;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;

/** Clients behind proxies: who is believed, and what a client may do that proxies name. */
@Timeout(120)
@ResourceLock("org.talos.requests") // the level of that logger
class RestProxiedTest {
    private static final String TRUSTED = "HTTP_TRUSTEDPROXIES";
    private static final Logger REQUESTS = (Logger) LoggerFactory.getLogger("org.talos.requests");
    private static final String FAR = "X-Forwarded-For: 203.0.113.7";
    private static final String TLS = "X-Forwarded-Proto: https";
    private static final String LINE = "PROXY TCP4 203.0.113.7 127.0.0.1 49152 8080\r\n";
    private static final Duration WAIT = Duration.ofSeconds(50);
    private static final String BINARY = "0d0a0d0a000d0a515549540a";
    private static final String FAR_IPV4 = "cb0071077f000001c0001f90";

    @TempDir
    private Path data;

    @TempDir
    private Path certificates;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private TestServer server;
    private TalosEndpoint admin;

    @BeforeEach
    void listen() throws Exception {
        start(Map.of(TRUSTED, "127.0.0.1"));
        lines.start();
        REQUESTS.setLevel(Level.INFO);
        REQUESTS.addAppender(lines);
    }

    @AfterEach
    void close() {
        REQUESTS.detachAppender(lines);
        REQUESTS.setLevel(null);
        server.close();
    }

    private void start(Map<String, String> settings) throws Exception {
        server = TestServer.start(data, settings);
        admin = server.endpoint();
    }

    /** A server of these settings in place of the one that believes this machine. */
    private void restart(Map<String, String> settings) throws Exception {
        server.close();
        start(settings);
    }

    private String authorization() {
        return "Authorization: " + RestFixture.basic(admin.accessKey(), admin.secretKey());
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** The answer to whatever bytes; empty if the connection ends without one. */
    private String answer(String... bytes) throws IOException {
        try (Socket socket = connect()) {
            for (String each : bytes) {
                socket.getOutputStream().write(each.getBytes(ISO_8859_1));
                socket.getOutputStream().flush();
            }
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        } catch (SocketException e) {
            return ""; // reset
        }
    }

    private String get(String target, String... headers) {
        return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: seen-here\r\n"
                + String.join("\r\n", headers)
                + "\r\n\r\n";
    }

    private String topics(String... headers) throws IOException {
        return answer(get("/v1/topics", headers));
    }

    /** The address that the log of requests has of the one request. */
    private String loggedClient() {
        return logged("client");
    }

    private String logged(String key) {
        await().atMost(WAIT).until(() -> !seen(key).isEmpty());
        return seen(key).get(0);
    }

    private List<String> seen(String key) {
        return List.copyOf(lines.list).stream()
                .map(ILoggingEvent::getKeyValuePairs)
                .filter(pairs -> pairs.stream().anyMatch(pair -> "seen-here".equals(pair.value)))
                .map(pairs -> String.valueOf(pairs.stream()
                        .filter(pair -> pair.key.equals(key))
                        .findFirst()
                        .orElseThrow()
                        .value))
                .toList();
    }

    @Test
    void clientThatSpeaksTlsWithATrustedProxyMayShowKeyAndSecret() throws Exception {
        assertThat(topics(FAR, TLS, authorization())).startsWith("HTTP/1.1 200 ");
        assertThat(loggedClient()).isEqualTo("203.0.113.7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: 203.0.113.7",
                "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: http",
                "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https, http",
                "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Proto: https",
                "X-Forwarded-Proto: http",
                // A forwarded address never is this machine's, whatever it says.
                "X-Forwarded-For: 127.0.0.1",
                "X-Forwarded-For: ::1",
                "X-Forwarded-For: \"127.0.0.1",
                "X-Forwarded-For: 127.0.0.1, \"",
                "X-Forwarded-For: unknown",
                "X-Forwarded-For: "
            })
    void clientThatDoesNotMayNot(String headers) throws Exception {
        restart(Map.of(TRUSTED, "127.0.0.1", "HTTP_PLAINCREDENTIALSFROM", "127.0.0.0/8, 203.0.113.0/24"));

        assertThat(topics(headers, authorization()))
                .startsWith("HTTP/1.1 401 ")
                .contains("http.trustedProxies", "http.plainCredentialsFrom");
    }

    @Test
    void schemeThatAClientWritesIntoItsRequestIsNoTls() throws Exception {
        assertThat(answer(get("https://localhost/v1/topics", FAR, authorization())))
                .startsWith("HTTP/1.1 401 ");
    }

    /** Status and client that the log has of a request over HTTP/2. */
    private String overHttp2(String begin, String scheme, String... headers) throws Exception {
        lines.list.clear();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        literal(head, ":method: GET");
        literal(head, ":scheme: " + scheme);
        literal(head, ":path: /v1/topics");
        literal(head, ":authority: localhost");
        literal(head, "x-request-id: seen-here");
        for (String each : headers) {
            literal(head, each);
        }
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write((begin + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").getBytes(ISO_8859_1));
            out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS, none
            out.write(new byte[] {0, (byte) (head.size() >> 8), (byte) head.size(), 1, 5, 0, 0, 0, 1}); // HEADERS, all
            head.writeTo(out);
            out.flush();
            return logged("status") + " " + loggedClient();
        }
    }

    /** As HPACK has a field that nothing is known of: RFC 7541, 6.2.2. */
    private static void literal(ByteArrayOutputStream to, String field) {
        int colon = field.indexOf(": ");
        to.write(0);
        string(to, field.substring(0, colon).toLowerCase(Locale.ROOT));
        string(to, field.substring(colon + 2));
    }

    private static void string(ByteArrayOutputStream to, String text) {
        if (text.length() < 127) {
            to.write(text.length());
        } else {
            to.write(127);
            to.write(text.length() - 127); // of less than 128: no further byte
        }
        to.writeBytes(text.getBytes(ISO_8859_1));
    }

    @Test
    void sameIsBelievedOverHttp2() throws Exception {
        assertThat(overHttp2("", "http", FAR, TLS, authorization())).isEqualTo("200 203.0.113.7");
        assertThat(overHttp2("", "http", FAR, authorization())).isEqualTo("401 203.0.113.7");
        assertThat(overHttp2("", "https", "X-Forwarded-For: 127.0.0.1", authorization()))
                .isEqualTo("401 127.0.0.1");
        assertThat(overHttp2("", "http", authorization())).isEqualTo("200 127.0.0.1");
    }

    @Test
    void headerOfAConnectionNamesTheClientOfItsRequestsOverHttp2() throws Exception {
        startWithProxyProtocol(Map.of());

        assertThat(overHttp2(LINE, "https", authorization())).isEqualTo("401 203.0.113.7");
        assertThat(overHttp2(binary("21110014" + FAR_IPV4 + "20000501" + "00000000"), "http", authorization()))
                .isEqualTo("200 203.0.113.7");
    }

    @Test
    void nobodyElseIsBelieved() throws Exception {
        restart(Map.of(TRUSTED, "10.0.0.0/8"));

        assertThat(topics(FAR, "X-Forwarded-Proto: http", authorization())).startsWith("HTTP/1.1 200 ");
        assertThat(loggedClient()).isEqualTo("127.0.0.1");
    }

    @Test
    void proxyThatSaysNothingIsAClientItself() throws Exception {
        assertThat(topics(authorization())).startsWith("HTTP/1.1 200 ");
        assertThat(loggedClient()).isEqualTo("127.0.0.1");
    }

    @Test
    void wrongKeysCountForTheClientAndNotForTheProxy() throws Exception {
        restart(Map.of(TRUSTED, "127.0.0.1", "HTTP_LIMITS_FAILEDKEYSPERMINUTE", "2"));
        String wrong = "Authorization: " + RestFixture.basic("AKGUESS", "guess");

        for (int i = 0; i < 2; i++) {
            assertThat(topics(FAR, TLS, wrong)).startsWith("HTTP/1.1 401 ");
        }

        assertThat(topics(FAR, TLS, wrong)).startsWith("HTTP/1.1 429 ");
        assertThat(topics("X-Forwarded-For: 203.0.113.8", TLS, wrong)).startsWith("HTTP/1.1 401 ");
    }

    @Test
    void personSignsInThroughATrustedProxyOverTlsOnly() throws Exception {
        String keys = json("{'accessKey':'" + admin.accessKey() + "','secretKey':'" + admin.secretKey() + "'}");
        String head = "POST /v1/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                + keys.length() + "\r\n" + FAR + "\r\n";

        assertThat(answer(head + "\r\n" + keys)).startsWith("HTTP/1.1 403 ").contains("not-private");
        assertThat(answer(head + TLS + "\r\n\r\n" + keys))
                .startsWith("HTTP/1.1 200 ")
                .contains("; Secure");
    }

    @Test
    void connectionsOfAProxyAreNotThoseOfOneClient() throws Exception {
        restart(Map.of(TRUSTED, "127.0.0.1", "HTTP_LIMITS_CONNECTIONSPERADDRESS", "2"));

        try (Socket one = connect();
                Socket two = connect();
                Socket three = connect()) {
            assertThat(List.of(one, two, three)).allMatch(Socket::isConnected);
            assertThat(topics(FAR, TLS, authorization())).startsWith("HTTP/1.1 200 ");
        }
    }

    private void startWithProxyProtocol(Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(more);
        settings.put(TRUSTED, "127.0.0.1");
        settings.put("HTTP_PROXYPROTOCOL", "true");
        restart(settings);
    }

    private static String binary(String hex) {
        return new String(HexFormat.of().parseHex(BINARY + hex), ISO_8859_1);
    }

    @Test
    void clientThatAHeaderOfTheConnectionNamesIsTheClient() throws Exception {
        startWithProxyProtocol(Map.of());

        assertThat(answer(LINE + get("/v1/topics", authorization()))).startsWith("HTTP/1.1 401 ");
        assertThat(loggedClient()).isEqualTo("203.0.113.7");
    }

    @ParameterizedTest
    @CsvSource({
        "2111 000c " + FAR_IPV4 + ", 401",
        "2111 0014 " + FAR_IPV4 + " 200005 01 00000000, 200",
        "2111 0014 " + FAR_IPV4 + " 200005 00 00000000, 401",
        "2000 0000, 200", // of the proxy itself, on this machine
        "2100 0000, 401" // of a client that it does not know
    })
    void headerSaysWhetherTheClientSpeaksTls(String hex, int status) throws Exception {
        startWithProxyProtocol(Map.of());

        assertThat(answer(binary(hex.replace(" ", "")) + get("/v1/topics", authorization())))
                .startsWith("HTTP/1.1 " + status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROXY UNKNOWN\r\n", "2100 0000"})
    void clientThatItsProxyCannotNameIsNotBelieved(String header) throws Exception {
        startWithProxyProtocol(Map.of());
        String unknown = header.startsWith("PROXY") ? header : binary(header.replace(" ", ""));

        assertThat(answer(unknown + get("/v1/topics", FAR, TLS, authorization())))
                .startsWith("HTTP/1.1 401 ");
        assertThat(loggedClient()).isEqualTo("127.0.0.1"); // all that is known
    }

    @Test
    void proxyItselfIsBelieved() throws Exception {
        startWithProxyProtocol(Map.of());

        assertThat(answer(binary("20000000") + get("/v1/topics", FAR, TLS, authorization())))
                .startsWith("HTTP/1.1 200 ");
        assertThat(loggedClient()).isEqualTo("203.0.113.7");
    }

    @Test
    void headerMayComeInPiecesAndNothingBehindItIsLost() throws Exception {
        startWithProxyProtocol(Map.of());
        String all = binary("21110014" + FAR_IPV4 + "20000501" + "00000000") + get("/v1/topics", authorization());

        assertThat(answer(all.split(""))).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void headerOfARequestIsBelievedOnlyIfTheConnectionIsOfATrustedProxy() throws Exception {
        startWithProxyProtocol(Map.of());

        assertThat(answer(LINE + get("/v1/topics", TLS, authorization()))).startsWith("HTTP/1.1 401 ");
    }

    @Test
    void connectionOfATrustedProxyWithoutAHeaderEndsAndIsLogged() throws Exception {
        startWithProxyProtocol(Map.of());
        ListAppender<ILoggingEvent> warnings = new ListAppender<>();
        warnings.start();
        Logger log = (Logger) LoggerFactory.getLogger(ProxyHeaderLog.class);
        log.addAppender(warnings);

        try {
            assertThat(topics(authorization())).isEmpty();
            assertThat(topics(authorization())).isEmpty();

            assertThat(List.copyOf(warnings.list)).hasSize(1);
            assertThat(warnings.list.get(0).getFormattedMessage()).contains("127.0.0.1", "http.proxyProtocol");
        } finally {
            log.detachAppender(warnings);
        }
    }

    @Test
    void headerOfWhoeverIsNoProxyIsNoRequest() throws Exception {
        restart(Map.of(TRUSTED, "10.0.0.0/8", "HTTP_PROXYPROTOCOL", "true"));

        assertThat(answer(LINE + get("/v1/topics", authorization()))).startsWith("HTTP/1.1 400 ");
        assertThat(topics(authorization())).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void connectionsCountForTheClientsThatTheirHeadersName() throws Exception {
        startWithProxyProtocol(Map.of("HTTP_LIMITS_CONNECTIONSPERADDRESS", "2"));
        String other = LINE.replace("203.0.113.7", "203.0.113.8");

        try (Socket one = open(LINE);
                Socket two = open(LINE)) {
            assertThat(List.of(one, two)).allMatch(Socket::isConnected);
            assertThat(answer(LINE + get("/v1"))).isEmpty();
            assertThat(answer(other + get("/v1"))).startsWith("HTTP/1.1 ");
        }
        await().atMost(WAIT).until(() -> answer(LINE + get("/v1")).startsWith("HTTP/1.1 "));
    }

    /** A client may have written the bytes behind a header that is refused. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noHeaderIsLookedForBehindOneThatIsRefused(boolean overTls) throws Exception {
        OwnCertificate certificate = OwnCertificate.in(certificates);
        Map<String, String> settings = new HashMap<>(Map.of("HTTP_LIMITS_CONNECTIONSPERADDRESS", "1"));
        if (overTls) {
            settings.put("HTTP_TLS_KEYSTORE", certificate.keyStore().toString());
            settings.put("HTTP_TLS_KEYSTOREPASSWORD", OwnCertificate.PASSWORD);
        }
        startWithProxyProtocol(settings);
        Answering begun = begin -> overTls ? suite(begin, certificate) : answer(begin, get("/v1"));
        String other = LINE.replace("203.0.113.7", "203.0.113.8");

        try (Socket one = connect()) {
            one.getOutputStream().write(LINE.getBytes(ISO_8859_1));
            await().atMost(WAIT).until(() -> begun.to(LINE).isEmpty());
            for (String refused : List.of(LINE, "PROXY NOBODY\r\n", "GET / HTTP/1.1\r\n\r\n")) {
                assertThat(begun.to(refused + other)).isEmpty();
            }
            assertThat(begun.to(other)).isNotEmpty();
        }
    }

    /** The result of a connection that begins so. */
    private interface Answering {
        String to(String begin) throws Exception;
    }

    /** The suite of TLS behind these bytes; empty if the server ends the connection. */
    private String suite(String begin, OwnCertificate certificate) throws Exception {
        try (Socket plain = connect()) {
            plain.getOutputStream().write(begin.getBytes(ISO_8859_1));
            SSLSocket socket = (SSLSocket)
                    certificate.trusted().getSocketFactory().createSocket(plain, "127.0.0.1", plain.getPort(), true);
            socket.startHandshake();
            return socket.getSession().getCipherSuite();
        } catch (SocketException | SSLException e) {
            return "";
        }
    }

    /** A connection that has been counted: it has had an answer, and stays open. */
    private Socket open(String header) throws IOException {
        Socket socket = connect();
        String request = get("/v1").replace("Connection: close\r\n", "");
        socket.getOutputStream().write((header + request).getBytes(ISO_8859_1));
        InputStream in = socket.getInputStream();
        assertThat(in.read()).isEqualTo('H');
        return socket;
    }
}
