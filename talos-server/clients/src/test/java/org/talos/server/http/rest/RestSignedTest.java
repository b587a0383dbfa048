// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosEndpoint;
import org.talos.server.http.rest.RestFixture.Answer;

/** Signed requests that somebody between client and server changes. */
@Timeout(60)
class RestSignedTest {
    private static final String MESSAGES = "/v1/topics/orders/partitions/0/messages";
    private static final String RESET = "/v1/topics/orders/groups/workers/reset";
    private static final int LARGE = 8 << 20;
    private static final String TO_LATEST = json("{'to':'latest'}");

    @TempDir
    private static Path data;

    private static RestFixture rest;
    private static TalosEndpoint admin;

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
        rest.createTopic("orders", 1);
        admin = rest.server.endpoint();
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    @BeforeEach
    void signOnly() {
        rest.as("");
    }

    private static Answer send(SignedRest request) throws Exception {
        return rest.send(request.request(rest));
    }

    private static SignedRest put() {
        return new SignedRest("POST", MESSAGES, "paid")
                .with("Content-Type", "text/plain")
                .with("Talos-Key", "order-17")
                .with("Talos-Header-Trace", "a")
                .with("Idempotency-Key", "order-17-paid");
    }

    private static SignedRest read(String query) {
        return new SignedRest("GET", MESSAGES + query, "");
    }

    private static void assertRefused(SignedRest changed) throws Exception {
        Answer answer = send(changed);

        assertThat(answer.status()).as(answer.text()).isEqualTo(401);
        assertThat(answer.json().get("code").textValue()).isEqualTo("invalid-auth");
        assertThat(answer.json().get("outcome").textValue()).isEqualTo("did-not-happen");
    }

    @Test
    void requestsThatArriveAsTheyWereSignedAreAnswered() throws Exception {
        assertThat(send(put().signed(admin)).status()).isEqualTo(201);
        assertThat(send(read("").signed(admin)).status()).isEqualTo(200);
        assertThat(send(read("?").signed(admin)).status()).isEqualTo(200);
        assertThat(send(read("?from=earliest&maxMessages=1").signed(admin)).status())
                .isEqualTo(200);
        assertThat(send(new SignedRest("POST", RESET + "?preview=true", TO_LATEST)
                                .with("Content-Type", "application/json")
                                .signed(admin))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "?preview=false", "?preview=true&", "?preview=%74rue", "?preview=true&preview=true", "?x=1"})
    void previewOfAResetWhoseQueryIsChangedIsRefused(String query) throws Exception {
        SignedRest preview = new SignedRest("POST", RESET + "?preview=true", TO_LATEST)
                .with("Content-Type", "application/json")
                .signed(admin);

        assertRefused(preview.to(RESET + query));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?", "?maxMessages=1&from=0", "?from=1&maxMessages=1", "?from=0&maxMessages=1&wait=0"})
    void readWhoseQueryIsChangedOrReorderedIsRefusedIfItHasADigest(String query) throws Exception {
        SignedRest read = read("?from=0&maxMessages=1").signed(admin);

        assertRefused(read.to(MESSAGES + query));
    }

    @ParameterizedTest
    @CsvSource({
        "Talos-Key, order-17",
        "Talos-Key, order-18",
        "TALOS-KEY, order-18",
        "Talos-Tag, t",
        "Talos-Timestamp, 1",
        "Talos-Header-Trace, a",
        "Talos-Header-Other, b",
        "Talos-Anything, c",
        "Idempotency-Key, another",
        "Content-Encoding, gzip",
        "Last-Event-ID, 7",
        "Attached-Info, ann"
    })
    void putWithAHeaderThatIsAddedOrRepeatedIsRefused(String name, String value) throws Exception {
        assertRefused(put().signed(admin).with(name, value));
    }

    @ParameterizedTest
    @CsvSource({"Talos-Key, order-18", "Talos-Header-Trace, b", "Idempotency-Key, another"})
    void putWithAHeaderThatIsChangedOrTakenAwayIsRefused(String name, String value) throws Exception {
        SignedRest put = put().signed(admin);

        assertRefused(put.changed(name, value));
        assertRefused(put.without(name));
    }

    @Test
    void encodingThatIsTakenAwayIsRefused() throws Exception {
        assertRefused(put().with("Content-Encoding", "gzip").signed(admin).without("Content-Encoding"));
    }

    @Test
    void digestThatIsTakenAwayChangedRepeatedOrOfAnotherVersionIsRefused() throws Exception {
        SignedRest put = put().signed(admin);

        assertRefused(put.without("X-Xiaomi-Request-Digest"));
        assertRefused(put.changed("X-Xiaomi-Request-Digest", "v1:" + "0".repeat(64)));
        assertRefused(put.with("X-Xiaomi-Request-Digest", "v1:" + "0".repeat(64)));
        assertRefused(
                put().with("X-Xiaomi-Request-Digest", "v2:" + "0".repeat(64)).signedWithoutDigest(admin));
        assertRefused(put().with("X-Xiaomi-Request-Digest", "").signedWithoutDigest(admin));
    }

    @ParameterizedTest
    @CsvSource({"Accept, application/json", "X-Request-Id, abc", "Via, 1.1 proxy", "X-Talos-Key, order-18"})
    void headersThatDoNotChangeWhatHappensMayBeAddedOnTheWay(String name, String value) throws Exception {
        assertThat(send(put().signed(admin).with(name, value)).status()).isEqualTo(201);
    }

    @Test
    void changesWithoutADigestAreRefusedAndReadsAreNot() throws Exception {
        Answer refused = send(put().signedWithoutDigest(admin));

        assertThat(refused.status()).as(refused.text()).isEqualTo(403);
        assertThat(refused.json().get("code").textValue()).isEqualTo("digest-required");
        assertThat(refused.json().get("detail").textValue())
                .contains("X-Xiaomi-Request-Digest", "auth.requireRequestDigest");
        assertThat(refused.header("Connection"))
                .as("the body is read, so that the answer arrives")
                .isEmpty();
        assertThat(send(new SignedRest("DELETE", "/v1/topics/orders", "").signedWithoutDigest(admin))
                        .status())
                .isEqualTo(403);
        assertThat(send(read("?from=0").signedWithoutDigest(admin)).status()).isEqualTo(200);
    }

    @Test
    void developerThatIsAddedToAReadWithoutADigestIsRefused() throws Exception {
        SignedRest read = read("?from=0").signedWithoutDigest(admin);

        assertThat(send(read.with("Attached-Info", "ann")).status()).isEqualTo(403);
    }

    @Test
    void streamIsOpenedWithADigestOnly() throws Exception {
        SignedRest opening = new SignedRest("GET", "/v1/topics/orders/stream?producer=a", "");

        assertThat(send(opening.signedWithoutDigest(admin)).status()).isEqualTo(403);
        assertRefused(opening.signed(admin).to("/v1/topics/orders/stream?producer=b"));
        assertThat(send(opening.signed(admin)).json().get("detail").textValue())
                .as("the digest is right, and this is no WebSocket")
                .contains("subprotocols");
    }

    @Test
    void missingDigestIsNoGuessOfAKey(@TempDir Path own) throws Exception {
        try (RestFixture strict = new RestFixture(own, Map.of("HTTP_LIMITS_FAILEDKEYSPERMINUTE", "1"))) {
            strict.as("");
            SignedRest unsigned =
                    new SignedRest("DELETE", "/v1/topics/none", "").signedWithoutDigest(strict.server.endpoint());

            for (int i = 0; i < 5; i++) {
                assertThat(strict.send(unsigned.request(strict)).status()).isEqualTo(403);
            }
        }
    }

    @Test
    void requestThatWasChangedOnItsWayIsNoGuessOfAKey(@TempDir Path own) throws Exception {
        try (RestFixture strict = new RestFixture(own, Map.of("HTTP_LIMITS_FAILEDKEYSPERMINUTE", "1"))) {
            strict.as("");
            TalosEndpoint owner = strict.server.endpoint();
            List<SignedRest> refused = List.of(
                    put().signed(owner).to(MESSAGES + "?x=1"),
                    put().signed(owner).sending("PAID"),
                    put().signedWithoutTime(owner),
                    new SignedRest("GET", "/v1/session", "").signed(owner).to("/v1/session?x=1"),
                    new SignedRest("GET", "/v1/session", "").signedWithoutTime(owner));

            for (int i = 0; i < 3; i++) {
                for (SignedRest each : refused) {
                    Answer answer = strict.send(each.request(strict));
                    assertThat(answer.status()).as(answer.text()).isEqualTo(401);
                }
            }
        }
    }

    /** Sockets buffer less than this body, so the client can finish only if the server reads it. */
    @Test
    void keyHolderLearnsOfAChangeThoughItSendsALargeBodyFirst() throws Exception {
        SignedRest large = put().sending("m".repeat(LARGE)).signed(admin);

        for (int i = 0; i < 2; i++) {
            Answer answer = send(large.to(MESSAGES + "?x=1"));

            assertThat(answer.status()).as(answer.text()).isEqualTo(401);
            assertThat(answer.json().get("detail").textValue()).contains("X-Xiaomi-Request-Digest");
            assertThat(answer.header("Connection")).isEmpty();
        }
    }

    @Test
    void keyHolderLearnsOfItsClockThoughItSendsALargeBodyFirst() throws Exception {
        SignedRest late =
                put().sending("m".repeat(LARGE)).signedAt(Instant.now().plusSeconds(5_000), admin);

        for (int i = 0; i < 2; i++) {
            Answer answer = send(late);

            assertThat(answer.status()).as(answer.text()).isEqualTo(412);
            assertThat(answer.header("Connection")).isEmpty();
        }
    }

    @Test
    void settingLetsEarlierClientsChangeThingsAndADigestIsCheckedAllTheSame(@TempDir Path own) throws Exception {
        try (RestFixture lenient = new RestFixture(own, Map.of("AUTH_REQUIREREQUESTDIGEST", "false"))) {
            TalosEndpoint owner = lenient.server.endpoint();
            lenient.createTopic("orders", 1);
            lenient.as("");
            UnaryOperator<SignedRest> changed = put -> put.changed("Talos-Key", "order-18");

            assertThat(lenient.send(put().signedWithoutDigest(owner).request(lenient))
                            .status())
                    .isEqualTo(201);
            assertThat(lenient.send(changed.apply(put().signed(owner)).request(lenient))
                            .status())
                    .isEqualTo(401);
        }
    }
}
