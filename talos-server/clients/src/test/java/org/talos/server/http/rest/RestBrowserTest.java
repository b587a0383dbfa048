// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.Right;
import org.talos.server.http.rest.RestFixture.Answer;

/** Tests the requests of a page in a browser, which asks first, sends its origin, and opens streams by a token. */
@Timeout(60)
class RestBrowserTest {
    private static final String ORIGIN = "https://shop.example.org";
    private static final String PUT = "/v1/topics/orders/partitions/0/messages";
    private static final String EVENTS = "/v1/topics/orders/partitions/0/events";
    private static final String TOKEN = "/v1/topics/orders/events/token";
    private static final String ALLOWED = "Access-Control-Allow-Origin";

    @TempDir
    private Path data;

    private RestFixture rest;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data, Map.of("HTTP_CORSORIGINS", ORIGIN + ", http://localhost:5173"));
        rest.createTopic("orders", 2);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private Answer preflight(String origin, String path, String method, String headers) throws Exception {
        rest.as("");
        Answer answer = rest.send(rest.request(path)
                .method("OPTIONS", BodyPublishers.noBody())
                .headers(
                        "Origin",
                        origin,
                        "Access-Control-Request-Method",
                        method,
                        "Access-Control-Request-Headers",
                        headers)
                .build());
        rest.asAdmin();
        return answer;
    }

    @Test
    void browserLearnsWithoutAKeyWhatAPageMaySendToAPath() throws Exception {
        Answer answer = preflight(ORIGIN, PUT, "POST", "authorization,content-type,talos-header-trace,x-evil");

        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header(ALLOWED)).isEqualTo(ORIGIN);
        assertThat(answer.header("Access-Control-Allow-Methods")).isEqualTo("GET, POST");
        assertThat(answer.header("Access-Control-Allow-Headers"))
                .isEqualTo("authorization, content-type, talos-header-trace");
        assertThat(answer.header("Access-Control-Max-Age")).isEqualTo("600");
        assertThat(answer.header("Vary")).isEqualTo("Origin");
        assertThat(answer.header("Access-Control-Allow-Credentials")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://shop.example.org.evil.org",
                "https://shopXexample.org",
                "http://shop.example.org",
                "https://shop.example.org:8443",
                "null",
                "*"
            })
    void pagesOfOtherOriginsAreToldNothing(String origin) throws Exception {
        Answer preflight = preflight(origin, PUT, "POST", "authorization");
        Answer put = rest.post(PUT, BodyPublishers.ofString("m"), "Origin", origin);

        for (Answer each : List.of(preflight, put)) {
            assertThat(each.response().headers().map().keySet())
                    .noneMatch(name -> name.toLowerCase(java.util.Locale.ROOT).startsWith("access-control"));
        }
        assertThat(preflight.status()).isEqualTo(405);
        assertThat(put.status()).as("who has the key needs no browser").isEqualTo(201);
    }

    @Test
    void whatAPageMayNotAskIsRefusedToItsBrowser() throws Exception {
        assertThat(preflight(ORIGIN, "/v1/nothing", "GET", "authorization").status())
                .isEqualTo(404);
        assertThat(preflight(ORIGIN, "/v1/api/message", "POST", "authorization").status())
                .isEqualTo(405);
    }

    @Test
    void everyAnswerToAPageMayBeReadByIt() throws Exception {
        Answer put = rest.post(PUT, BodyPublishers.ofString("m"), "Origin", ORIGIN);
        Answer wrongPath = rest.get("/v1/nothing", "Origin", ORIGIN);
        Answer large = rest.post("/v1/topics", BodyPublishers.ofString("x".repeat(2 << 20)), "Origin", ORIGIN);
        rest.as("");
        Answer withoutKey = rest.get(PUT, "Origin", ORIGIN);

        assertThat(List.of(put.status(), wrongPath.status(), large.status(), withoutKey.status()))
                .containsExactly(201, 404, 413, 401);
        for (Answer each : List.of(put, wrongPath, large, withoutKey)) {
            assertThat(each.header(ALLOWED)).as(each.text()).isEqualTo(ORIGIN);
            assertThat(each.header("Access-Control-Expose-Headers")).isEqualTo("*");
            assertThat(each.header("Vary")).isEqualTo("Origin");
        }
    }

    @Test
    void withoutOriginsNothingIsSaidToAnyPage() throws Exception {
        rest.close();
        rest = new RestFixture(data, Map.of());

        Answer put = rest.post(PUT, BodyPublishers.ofString("m"), "Origin", ORIGIN);
        assertThat(put.status()).isEqualTo(201);
        assertThat(put.header(ALLOWED) + put.header("Vary")).isEmpty();
        assertThat(preflight(ORIGIN, PUT, "POST", "authorization").status()).isEqualTo(405);
    }

    private String reader() throws Exception {
        NewCredential reader = rest.server.admin().addUser("reader", false, List.of(), List.of());
        rest.server.admin().grant("orders", Grantee.of("reader"), Set.of(Right.GET));
        return basic(reader.accessKey(), reader.secretKey());
    }

    private String token() throws Exception {
        Answer made = rest.post(TOKEN, BodyPublishers.noBody());
        assertThat(made.status()).isEqualTo(200);
        assertThat(made.header("Cache-Control")).isEqualTo("no-store");
        assertThat(Instant.parse(made.json().get("expires").textValue()))
                .isBetween(Instant.now().plusSeconds(20), Instant.now().plusSeconds(60));
        return made.json().get("token").textValue();
    }

    /** As an EventSource, which has no header of its own but the id of the last event. */
    private HttpResponse<InputStream> open(String query, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(rest.server.uri().resolve(EVENTS + query))
                .header("Accept", "text/event-stream")
                .header("Origin", ORIGIN);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofInputStream());
    }

    private static String lineWith(BufferedReader in, String text) throws Exception {
        String line = in.readLine();
        while (line != null && !line.contains(text)) {
            line = in.readLine();
        }
        return String.valueOf(line);
    }

    @Test
    void pageFollowsATopicByATokenAndGoesOnWhereItWas() throws Exception {
        String admin = rest.authorization();
        rest.as(reader());
        String token = token();
        rest.as(admin);
        rest.post(PUT, BodyPublishers.ofString("one"));

        HttpResponse<InputStream> first = open("?from=earliest&token=" + token);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue(ALLOWED)).contains(ORIGIN);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(first.body(), UTF_8))) {
            assertThat(lineWith(in, "id:")).isEqualTo("id: 0");
            assertThat(lineWith(in, "data:")).contains("one");
        }
        rest.post(PUT, BodyPublishers.ofString("two"));
        HttpResponse<InputStream> again = open("?from=earliest&token=" + token, "Last-Event-ID", "0");
        try (BufferedReader in = new BufferedReader(new InputStreamReader(again.body(), UTF_8))) {
            assertThat(lineWith(in, "data:")).contains("two");
        }
    }

    @Test
    void streamThatATokenHasOpenedEndsWithTheRight() throws Exception {
        String admin = rest.authorization();
        rest.as(reader());
        String token = token();
        rest.as(admin);
        HttpResponse<InputStream> stream = open("?token=" + token);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(stream.body(), UTF_8))) {
            assertThat(lineWith(in, ":")).isEqualTo(":");
            rest.server.admin().revoke("orders", Grantee.of("reader"));
            rest.post(PUT, BodyPublishers.ofString("hush"));

            assertThat(lineWith(in, "data:")).contains("permission-denied");
        }
        assertThat(open("?token=" + token).statusCode()).isEqualTo(403);
        rest.server.admin().removeUser("reader");
        assertThat(open("?token=" + token).statusCode()).isEqualTo(401);
    }

    @Test
    void tokenOpensNothingElse() throws Exception {
        String token = token();
        rest.createTopic("others", 1);
        rest.as("");

        assertThat(rest.get(PUT + "?token=" + token).status()).isEqualTo(401);
        assertThat(rest.post(PUT + "?token=" + token, BodyPublishers.ofString("m"))
                        .status())
                .isEqualTo(401);
        assertThat(rest.post(TOKEN + "?token=" + token, BodyPublishers.noBody()).status())
                .isEqualTo(401);
        Answer other = rest.get("/v1/topics/others/partitions/0/events?token=" + token);
        assertThat(other.status()).isEqualTo(401);
        assertThat(other.json().get("code").textValue()).isEqualTo("invalid-auth");
        assertThat(other.header("WWW-Authenticate")).as("no dialogue").isEqualTo("Galaxy-V3");
        assertThat(open("?token=" + token + "&token=" + token).statusCode()).isEqualTo(401);
        rest.asAdmin();
        assertThat(rest.get(EVENTS + "?token=" + token).status())
                .as("one or the other")
                .isEqualTo(401);
    }

    @Test
    void tokenIsForWhoMayGetAndLivesNoLongerThanIsAllowed() throws Exception {
        NewCredential stranger = rest.server.admin().addUser("stranger", false, List.of(), List.of());
        assertThat(rest.send("POST", TOKEN, json("{'seconds':600}")).status()).isEqualTo(200);
        assertThat(rest.send("POST", TOKEN, json("{'seconds':601}")).status()).isEqualTo(400);
        assertThat(rest.send("POST", "/v1/topics/none/events/token", "").status())
                .isEqualTo(404);
        rest.as(basic(stranger.accessKey(), stranger.secretKey()));
        assertThat(rest.send("POST", TOKEN, "").status()).isEqualTo(403);
    }

    @Test
    void guessedTokensAreSlowedDownAsWrongKeys() throws Exception {
        rest.close();
        rest = new RestFixture(data, Map.of("HTTP_LIMITS_FAILEDKEYSPERMINUTE", "2"));

        assertThat(open("?token=a.b").statusCode()).isEqualTo(401);
        assertThat(open("?%74oken=a.c").statusCode()).isEqualTo(401);
        HttpResponse<InputStream> third = open("?token=a.d");
        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(third.headers().firstValue("Retry-After")).contains("30");
    }

    @Test
    @ResourceLock("org.talos.requests") // the level of that logger
    void noLogHasAToken() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger("org.talos");
        Logger requests = (Logger) LoggerFactory.getLogger("org.talos.requests");
        Level before = requests.getLevel();
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        root.addAppender(seen);
        requests.addAppender(seen);
        requests.setLevel(Level.INFO);
        try {
            String token = token();
            assertThat(open("?from=never&token=" + token).statusCode()).isEqualTo(400);
            assertThat(open("?token=x" + token).statusCode()).isEqualTo(401);
            await().until(() -> List.copyOf(seen.list).stream()
                            .filter(each ->
                                    String.valueOf(each.getKeyValuePairs()).contains(EVENTS))
                            .count()
                    >= 2);

            assertThat(List.copyOf(seen.list))
                    .noneMatch(each -> (each.getFormattedMessage() + each.getKeyValuePairs()).contains(token));
        } finally {
            root.detachAppender(seen);
            requests.detachAppender(seen);
            requests.setLevel(before);
        }
    }
}
