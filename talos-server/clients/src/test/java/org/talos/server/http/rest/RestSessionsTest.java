// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

/** Sessions of browsers: what is taken by cookie, from whom, and for how long. */
@Timeout(60)
class RestSessionsTest {
    private static final String SESSION = "/v1/session";
    private static final String TOPICS = "/v1/topics";
    private static final String NEW_TOPIC = json("{'name':'orders','partitions':1}");
    private static final String CSRF = "Talos-Csrf";

    @TempDir
    private Path data;

    private volatile Instant now = SystemTime.wallClock().instant().truncatedTo(ChronoUnit.SECONDS);
    private RestFixture rest;
    private TalosEndpoint admin;

    /** The parts of a session that a browser keeps. Immutable. */
    private record Signed(String cookie, String csrf) {}

    @BeforeEach
    void start() throws Exception {
        start(Map.of("HTTP_LIMITS_FAILEDKEYSPERMINUTE", "3"));
    }

    private void start(Map<String, String> settings) throws Exception {
        rest = new RestFixture(data, TestServer.start(data, settings, () -> now));
        admin = rest.server.endpoint();
        rest.as("");
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private Answer signIn(String key, String secret, String... headers) throws Exception {
        String body = json("{'accessKey':'" + key + "','secretKey':'" + secret + "'}");
        HttpRequest.Builder request = rest.request(SESSION).POST(BodyPublishers.ofString(body));
        return rest.send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    private Signed signIn() throws Exception {
        Answer answer = signIn(admin.accessKey(), admin.secretKey());
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return new Signed(cookie(answer), answer.json().get("csrf").textValue());
    }

    private static String cookie(Answer answer) {
        return answer.header("Set-Cookie").split(";", 2)[0];
    }

    private Answer send(Signed as, String method, String path, String body, String... headers) throws Exception {
        List<String> all = new ArrayList<>(List.of("Cookie", as.cookie));
        all.addAll(List.of(headers));
        return rest.send(rest.request(path)
                .headers(all.toArray(String[]::new))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build());
    }

    private void after(Duration time) {
        now = now.plus(time);
    }

    @Test
    void whoSignsInGetsACookieThatNoScriptAndNoOtherSiteCanUse() throws Exception {
        Answer answer = signIn(admin.accessKey(), admin.secretKey());

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Set-Cookie"))
                .startsWith("talos-session=")
                .endsWith("; Path=/; HttpOnly; SameSite=Strict");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.json().get("user").textValue()).isEqualTo("admin");
        assertThat(answer.json().get("admin").booleanValue()).isTrue();
        assertThat(Instant.parse(answer.json().get("expires").textValue())).isEqualTo(now.plusSeconds(1_800));
        assertThat(answer.text()).doesNotContain(admin.secretKey());
    }

    @Test
    void cookieIsCredentialsOfEveryRequestThatOnlyReads() throws Exception {
        Signed session = signIn();

        assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(200);
        assertThat(send(session, "HEAD", TOPICS, "").status()).isEqualTo(200);
        Answer who = send(session, "GET", SESSION, "");
        assertThat(who.json().get("user").textValue()).isEqualTo("admin");
        assertThat(who.json().get("csrf").textValue()).isEqualTo(session.csrf);
    }

    @Test
    void whatChangesSomethingNeedsTheSessionsOwnToken() throws Exception {
        Signed session = signIn();
        Signed other = signIn();

        for (Answer refused : List.of(
                send(session, "POST", TOPICS, NEW_TOPIC),
                send(session, "POST", TOPICS, NEW_TOPIC, CSRF, ""),
                send(session, "POST", TOPICS, NEW_TOPIC, CSRF, other.csrf),
                send(session, "DELETE", SESSION, ""))) {
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.json().get("code").textValue()).isEqualTo("csrf");
            assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        }
        assertThat(send(session, "POST", TOPICS, NEW_TOPIC, CSRF, session.csrf).status())
                .isEqualTo(201);
        assertThat(send(session, "DELETE", TOPICS + "/orders", "", CSRF, session.csrf)
                        .status())
                .isEqualTo(204);
    }

    @Test
    void cookieOfARequestFromAnotherOriginIsNotTaken() throws Exception {
        Signed session = signIn();

        for (String[] foreign : List.of(
                new String[] {"Origin", "https://evil.example.org"},
                new String[] {"Origin", "null"},
                new String[] {"Origin", "http://127.0.0.1:1"},
                new String[] {"Sec-Fetch-Site", "cross-site"},
                new String[] {"Sec-Fetch-Site", "same-site"})) {
            List<String> change = List.of(CSRF, session.csrf, foreign[0], foreign[1]);
            for (Answer refused : List.of(
                    send(session, "GET", TOPICS, "", foreign),
                    send(session, "GET", SESSION, "", foreign),
                    send(session, "POST", TOPICS, NEW_TOPIC, change.toArray(String[]::new)),
                    signIn(admin.accessKey(), admin.secretKey(), foreign))) {
                assertThat(refused.status()).as(String.join(" ", foreign)).isEqualTo(403);
                assertThat(refused.json().get("code").textValue()).isEqualTo("foreign-origin");
                assertThat(refused.header("Set-Cookie")).isEmpty();
            }
        }
        for (String destination : List.of("script", "iframe", "worker")) {
            Answer refused = send(session, "GET", TOPICS, "", "Sec-Fetch-Dest", destination);
            assertThat(refused.status()).as(destination).isEqualTo(403);
        }
    }

    @Test
    void originThatMayUseTheServerByKeyMayStillNotUseSessions() throws Exception {
        rest.close();
        start(Map.of("HTTP_CORSORIGINS", "https://shop.example.org"));
        Signed session = signIn();

        assertThat(send(session, "GET", TOPICS, "", "Origin", "https://shop.example.org")
                        .status())
                .isEqualTo(403);
        rest.asAdmin();
        assertThat(rest.get(TOPICS, "Origin", "https://shop.example.org").status())
                .isEqualTo(200);
    }

    @Test
    void pageOfTheServersOwnIsServed() throws Exception {
        Signed session = signIn();
        String own = rest.server.uri().toString();
        String behindAProxy = own.replace("http:", "https:");

        for (String[] headers : List.of(
                new String[] {"Origin", own},
                new String[] {"Origin", behindAProxy},
                new String[] {"Sec-Fetch-Site", "same-origin", "Origin", "https://as-the-proxy-is-called.example.org"},
                new String[] {"Sec-Fetch-Site", "none"})) {
            assertThat(send(session, "GET", TOPICS, "", headers).status())
                    .as(String.join(" ", headers))
                    .isEqualTo(200);
        }
        Answer overTls = signIn(admin.accessKey(), admin.secretKey(), "Origin", behindAProxy);
        assertThat(overTls.header("Set-Cookie")).endsWith("; Secure");
        assertThat(signIn(
                                admin.accessKey(),
                                admin.secretKey(),
                                "Sec-Fetch-Site",
                                "same-origin",
                                "Origin",
                                "https://as-the-proxy-is-called.example.org")
                        .header("Set-Cookie"))
                .endsWith("; Secure");
        after(Duration.ofMinutes(5));
        Answer used = send(new Signed(cookie(overTls), ""), "GET", TOPICS, "");
        assertThat(used.header("Set-Cookie"))
                .as("stays so, whatever a GET says")
                .endsWith("; Secure");
    }

    @Test
    void otherCredentialsWinOverTheCookie() throws Exception {
        NewCredential ann = rest.server.admin().addUser("ann", false, List.of(), List.of());
        Signed session = signIn();

        Answer byBoth = send(session, "GET", SESSION, "", "Authorization", basic(ann.accessKey(), ann.secretKey()));
        assertThat(byBoth.json().get("user").textValue()).isEqualTo("ann");
        assertThat(byBoth.json().has("csrf")).isFalse();
        assertThat(byBoth.json().has("expires")).isFalse();

        Answer wrong = send(session, "GET", SESSION, "", "Authorization", basic(ann.accessKey(), "wrong"));
        assertThat(wrong.status()).isEqualTo(401);
    }

    @Test
    void sessionHasTheRightsOfItsUser() throws Exception {
        NewCredential ann = rest.server.admin().addUser("ann", false, List.of(), List.of());
        rest.asAdmin();
        rest.createTopic("orders", 1);
        rest.as("");
        Answer answer = signIn(ann.accessKey(), ann.secretKey());
        Signed session = new Signed(cookie(answer), answer.json().get("csrf").textValue());

        assertThat(answer.json().get("admin").booleanValue()).isFalse();
        assertThat(send(session, "DELETE", TOPICS + "/orders", "", CSRF, session.csrf)
                        .status())
                .isEqualTo(403);
        rest.server.admin().removeUser("ann");
        assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(401);
    }

    @Test
    void nobodyIsSignedInWithoutCredentialsOrWithASessionThatIsOver() throws Exception {
        Answer nobody = rest.get(SESSION, "Sec-Fetch-Site", "cross-site");
        assertThat(nobody.status()).isEqualTo(204);
        assertThat(nobody.header("Set-Cookie"))
                .as("a link elsewhere signs nobody out")
                .isEmpty();

        Signed session = signIn();
        after(Duration.ofMinutes(31));
        Answer over = send(session, "GET", SESSION, "");
        assertThat(over.status()).isEqualTo(204);
        assertThat(over.header("Set-Cookie")).startsWith("talos-session=;").contains("Max-Age=0");
    }

    @Test
    void useProlongsASessionAndWhatAPageDoesByItselfDoesNot() throws Exception {
        Signed session = signIn();
        after(Duration.ofMinutes(20));

        assertThat(send(session, "GET", TOPICS, "", "Talos-Background", "true").header("Set-Cookie"))
                .isEmpty();
        Signed renewed = new Signed(cookie(send(session, "GET", TOPICS, "")), session.csrf);
        assertThat(send(renewed, "GET", TOPICS, "").header("Set-Cookie"))
                .as("new enough")
                .isEmpty();

        after(Duration.ofMinutes(20));
        assertThat(send(renewed, "POST", TOPICS, NEW_TOPIC, CSRF, renewed.csrf).status())
                .isEqualTo(201);
        Answer over = send(session, "GET", TOPICS, "");
        assertThat(over.status()).isEqualTo(401);
        assertThat(over.header("WWW-Authenticate")).as("no dialogue").doesNotContain("Basic");
        assertThat(over.header("Set-Cookie")).contains("Max-Age=0");
    }

    @Test
    void sessionEndsSomeTimeAfterItBeganHoweverMuchItIsUsed() throws Exception {
        rest.close();
        start(Map.of("CONSOLE_SESSIONIDLE", "1m", "CONSOLE_SESSIONMAX", "3m"));
        Signed session = signIn();
        for (int i = 0; i < 5; i++) {
            after(Duration.ofSeconds(30));
            Answer used = send(session, "GET", TOPICS, "");
            assertThat(used.status()).isEqualTo(200);
            session = used.header("Set-Cookie").isEmpty() ? session : new Signed(cookie(used), session.csrf);
        }
        after(Duration.ofSeconds(30));
        assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(401);
    }

    @Test
    void signingOutEndsTheSessionAndNoOther() throws Exception {
        Signed session = signIn();
        Signed other = signIn();

        Answer out = send(session, "DELETE", SESSION, "", CSRF, session.csrf);

        assertThat(out.status()).isEqualTo(204);
        assertThat(out.header("Set-Cookie")).startsWith("talos-session=;").contains("Max-Age=0");
        assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(401);
        assertThat(send(other, "GET", TOPICS, "").status()).isEqualTo(200);
    }

    @Test
    void signingOutEverywhereEndsAllSessionsOfTheUserForGood() throws Exception {
        NewCredential ann = rest.server.admin().addUser("ann", false, List.of(), List.of());
        Signed ofAnn = new Signed(cookie(signIn(ann.accessKey(), ann.secretKey())), "");
        List<Signed> sessions = List.of(signIn(), signIn());
        Signed first = sessions.get(0);

        assertThat(send(first, "DELETE", SESSION + "?everywhere=true", "", CSRF, first.csrf)
                        .status())
                .isEqualTo(204);

        rest.close();
        start(Map.of()); // and it stays so
        for (Signed each : sessions) {
            assertThat(send(each, "GET", TOPICS, "").status()).isEqualTo(401);
        }
        assertThat(send(ofAnn, "GET", TOPICS, "").status()).isEqualTo(200);
        assertThat(send(signIn(), "GET", TOPICS, "").status()).isEqualTo(200);
    }

    @Test
    void keyEndsAllSessionsOfItsUserButIsNone() throws Exception {
        Signed session = signIn();
        rest.asAdmin();

        assertThat(rest.send("DELETE", SESSION, "").status()).isEqualTo(400);
        assertThat(rest.send("DELETE", SESSION + "?everywhere=maybe", "").status())
                .isEqualTo(400);
        assertThat(rest.send("DELETE", SESSION + "?everywhere=true", "").status())
                .isEqualTo(204);
        rest.as("");
        assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(401);
    }

    @Test
    void wrongKeysAreLimitedAndRightOnesAreNot() throws Exception {
        for (int i = 0; i < 3; i++) {
            Answer wrong = signIn(admin.accessKey(), "wrong-" + i, "Sec-Fetch-Mode", "cors");
            assertThat(wrong.status()).isEqualTo(401);
            assertThat(wrong.header("WWW-Authenticate")).doesNotContain("Basic");
        }

        Answer limited = signIn(admin.accessKey(), "wrong");
        assertThat(limited.status()).isEqualTo(429);
        assertThat(Integer.parseInt(limited.header("Retry-After"))).isPositive();
        assertThat(limited.json().get("code").textValue()).isEqualTo("too-many-requests");
        String body = json("{'accessKey':'" + admin.accessKey() + "','secretKey':'wrong'}");
        Answer encoded = rest.send("POST", "/v1/%73ession", body);
        assertThat(encoded.status()).as("however it is written").isEqualTo(429);
        rest.as(basic(admin.accessKey(), "wrong"));
        assertThat(rest.get(TOPICS).status()).as("one limit for all ways").isEqualTo(429);
        rest.as("");
        assertThat(signIn(admin.accessKey(), admin.secretKey()).status()).isEqualTo(200);
    }

    @Test
    void sessionThatIsOverIsNoGuessAndOneThatIsMadeUpIs() throws Exception {
        Signed session = signIn();
        after(Duration.ofMinutes(31));
        for (int i = 0; i < 5; i++) {
            assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(401);
        }

        Signed madeUp = new Signed("talos-session=" + "A".repeat(100) + "." + "A".repeat(43), "");
        for (int i = 0; i < 3; i++) {
            assertThat(send(madeUp, "GET", TOPICS, "").status()).isEqualTo(401);
        }
        assertThat(send(madeUp, "GET", TOPICS, "").status()).isEqualTo(429);
    }

    @Test
    void signingInWithoutKeyOrSecretIsRefused() throws Exception {
        for (String body : List.of(
                "",
                "{}",
                "{'accessKey':'a'}",
                "{'accessKey':'a','secretKey':1}",
                "{'accessKey':'a','secretKey':'b','c':1}")) {
            Answer answer = rest.send("POST", SESSION, json(body));
            assertThat(answer.status()).as(body).isEqualTo(400);
            assertThat(answer.header("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void whoIsNobodyYetSendsNoMoreThanAKeyTakes() throws Exception {
        assertThat(signIn("a".repeat(2_000), "b".repeat(1_900)).status()).isEqualTo(401);
        assertThat(signIn("a".repeat(2_000), "b".repeat(2_100)).status()).isEqualTo(413);
    }

    @Test
    void twoSessionsInOneRequestAreNone() throws Exception {
        Signed session = signIn();
        Signed both = new Signed(session.cookie + "; " + session.cookie, session.csrf);

        assertThat(send(both, "GET", TOPICS, "").status()).isEqualTo(401);
        assertThat(send(new Signed("theme=dark; " + session.cookie, ""), "GET", TOPICS, "")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void serverWithoutAConsoleTakesNoSessions() throws Exception {
        Signed session = signIn();
        rest.close();
        start(Map.of("CONSOLE_ENABLED", "false"));

        assertThat(signIn(admin.accessKey(), admin.secretKey()).status()).isEqualTo(404);
        assertThat(send(session, "GET", TOPICS, "").status()).isEqualTo(401);
        assertThat(send(session, "GET", SESSION, "").status()).isEqualTo(204);
    }

    @Test
    void streamIsOpenedByASessionFromAPageOfItsOwnOnly() throws Exception {
        rest.asAdmin();
        rest.createTopic("orders", 1);
        Signed session = signIn();
        HttpClient client = HttpClient.newHttpClient();
        URI stream =
                URI.create("ws" + rest.server.uri().toString().substring("http".length()) + TOPICS + "/orders/stream");

        WebSocket own = open(client, stream, session, rest.server.uri().toString());
        own.abort();
        assertThat(own.getSubprotocol()).isEqualTo("talos.v1.json");
        assertThat(refusal(client, stream, session, "https://evil.example.org")).isEqualTo(403);
        assertThat(refusal(
                        client,
                        stream,
                        new Signed("theme=dark", ""),
                        rest.server.uri().toString()))
                .isEqualTo(401);
    }

    private static WebSocket open(HttpClient client, URI stream, Signed session, String origin) throws Exception {
        return client.newWebSocketBuilder()
                .header("Cookie", session.cookie)
                .header("Origin", origin)
                .subprotocols("talos.v1.json")
                .buildAsync(stream, new WebSocket.Listener() {})
                .get(10, TimeUnit.SECONDS);
    }

    private static int refusal(HttpClient client, URI stream, Signed session, String origin) throws Exception {
        try {
            open(client, stream, session, origin).abort();
            return 101;
        } catch (ExecutionException e) {
            return e.getCause() instanceof WebSocketHandshakeException refused
                    ? refused.getResponse().statusCode()
                    : -1;
        }
    }

    @Test
    void eventStreamEndsWithItsSession() throws Exception {
        rest.close();
        start(Map.of("HTTP_IDLETIMEOUT", "2s")); // a sign each 800 ms
        rest.asAdmin();
        rest.createTopic("orders", 1);
        rest.as("");
        Signed session = signIn();
        HttpResponse<Stream<String>> events = HttpClient.newHttpClient()
                .send(
                        rest.request(TOPICS + "/orders/partitions/0/events")
                                .header("Cookie", session.cookie)
                                .header("Origin", rest.server.uri().toString())
                                .build(),
                        HttpResponse.BodyHandlers.ofLines());
        assertThat(events.statusCode()).isEqualTo(200);

        assertThat(send(session, "DELETE", SESSION, "", CSRF, session.csrf).status())
                .isEqualTo(204);

        CompletableFuture<List<String>> seen = CompletableFuture.supplyAsync(
                () -> events.body().filter(line -> line.startsWith("data:")).toList());
        assertThat(seen.get(20, TimeUnit.SECONDS)) // a read that no interrupt ends
                .singleElement()
                .asString()
                .contains("The session is over");
    }
}
