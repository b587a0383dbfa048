// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

/** Users and their keys over REST, by a real server and client. */
@Timeout(60)
class RestUsersTest {
    private static final String USERS = "/v1/users";

    private static final AtomicInteger NAMES = new AtomicInteger();

    @TempDir
    private static Path data;

    private static volatile Duration ahead = Duration.ZERO;
    private static RestFixture rest;

    private final String ann = "ann-" + NAMES.incrementAndGet();
    private final String ofAnn = USERS + "/" + ann;

    @BeforeAll
    static void start() throws Exception {
        InstantSource clock = () -> SystemTime.wallClock().instant().plus(ahead);
        rest = new RestFixture(data, TestServer.start(data, Map.of(), clock));
    }

    @BeforeEach
    void asAdmin() {
        ahead = Duration.ZERO;
        rest.asAdmin();
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    private static Instant now() {
        return SystemTime.wallClock().instant();
    }

    /** A body in which "ann" is this test's name for her. */
    private String body(String text) {
        return json(text).replace("\"ann\"", "\"" + ann + "\"");
    }

    private JsonNode add(String body) throws Exception {
        Answer made = rest.send("POST", USERS, body(body));
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        assertThat(made.header("Cache-Control")).isEqualTo("no-store");
        return made.json();
    }

    private JsonNode rotate(String body) throws Exception {
        Answer rotated = rest.send("POST", ofAnn + "/key", json(body));
        assertThat(rotated.status()).as(rotated.text()).isEqualTo(200);
        assertThat(rotated.header("Cache-Control")).isEqualTo("no-store");
        return rotated.json();
    }

    private static String credentials(JsonNode keyed) {
        return basic(keyed.get("accessKey").textValue(), keyed.get("secretKey").textValue());
    }

    private int statusAs(String authorization) throws Exception {
        rest.as(authorization);
        int status = rest.get("/v1/topics").status();
        rest.asAdmin();
        return status;
    }

    @Test
    void secretIsShownOnceAndTheUserIsListedWithoutIt() throws Exception {
        JsonNode made = add("{'user':'ann','orgs':['CL1'],'teams':['CI1']}");

        assertThat(statusAs(credentials(made))).isEqualTo(200);
        Answer listed = rest.get(USERS);
        assertThat(listed.text())
                .doesNotContain("secret")
                .doesNotContain(made.get("secretKey").textValue());
        JsonNode shown = listed.json().get("users");
        assertThat(shown.findValuesAsText("user")).contains("admin", ann).isSorted();
        JsonNode listedAnn = shown.get(shown.findValuesAsText("user").indexOf(ann));
        assertThat(listedAnn.get("accessKey")).isEqualTo(made.get("accessKey"));
        assertThat(listedAnn.get("admin").booleanValue()).isFalse();
        assertThat(listedAnn.get("orgs").get(0).textValue()).isEqualTo("CL1");
        assertThat(listedAnn.get("teams").get(0).textValue()).isEqualTo("CI1");
    }

    @Test
    void userWithAKeyOfTheirOwnSignsByIt() throws Exception {
        add("{'user':'ann','accessKey':'ANNS-KEY','secretKey':'the-secret-of-ann'}");

        assertThat(statusAs(basic("ANNS-KEY", "the-secret-of-ann"))).isEqualTo(200);
    }

    @Test
    void usersAreForAdministrators() throws Exception {
        String credentials = credentials(add("{'user':'ann'}"));
        rest.as(credentials);

        assertThat(rest.get(USERS).status()).isEqualTo(403);
        assertThat(rest.send("POST", USERS, json("{'user':'eve','admin':true}")).status())
                .isEqualTo(403);
        assertThat(rest.send("DELETE", USERS + "/admin", "").status()).isEqualTo(403);
        assertThat(rest.send("POST", ofAnn + "/key", "").status()).isEqualTo(403);
        assertThat(rest.send("POST", USERS + "/nobody/key", "").status())
                .as("who there is")
                .isEqualTo(403);
        rest.as("");
        assertThat(rest.get(USERS).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'user':'CL1'}",
                "{'user':'a b'}",
                "{'user':'ann','orgs':['XX']}",
                "{'user':'ann','orgs':'CL1'}",
                "{'user':'ann','accessKey':'ANNS-KEY'}",
                "{'user':'ann','secretKey':'the-secret-of-ann'}",
                "{'user':'ann','accessKey':'ANNS-KEY','secretKey':'short'}",
                "{'user':'ann','serviceAdmin':true}"
            })
    void userThatCannotBeMadeIsRefused(String body) throws Exception {
        Answer refused = rest.send("POST", USERS, body(body));

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.text()).doesNotContain("the-secret-of-ann");
    }

    @Test
    void userThatIsThereIsNotMadeAgainAndOneThatIsNotThereNotRemoved() throws Exception {
        add("{'user':'ann'}");

        assertThat(rest.send("POST", USERS, body("{'user':'ann'}")).status()).isEqualTo(409);
        assertThat(rest.send("DELETE", USERS + "/bob", "").status()).isEqualTo(404);
        assertThat(rest.send("POST", USERS + "/bob/key", "").status()).isEqualTo(404);
        assertThat(rest.send("DELETE", USERS + "/admin", "").status())
                .as("the last administrator")
                .isEqualTo(403);
    }

    @Test
    void removedUserIsRefusedAtOnce() throws Exception {
        String credentials = credentials(add("{'user':'ann'}"));

        assertThat(rest.send("DELETE", ofAnn, "").status()).isEqualTo(204);

        assertThat(statusAs(credentials)).isEqualTo(401);
    }

    @Test
    void rotatedKeyEndsAtOnce() throws Exception {
        JsonNode before = add("{'user':'ann'}");

        JsonNode after = rotate("");

        assertThat(after.get("accessKey")).isNotEqualTo(before.get("accessKey"));
        assertThat(after.has("oldKey")).isFalse();
        assertThat(statusAs(credentials(before))).isEqualTo(401);
        assertThat(statusAs(credentials(after))).isEqualTo(200);
    }

    @Test
    void bothKeysHoldUntilTheGraceIsOver() throws Exception {
        JsonNode before = add("{'user':'ann'}");

        JsonNode after = rotate("{'graceSeconds':3600}");

        assertThat(after.get("oldKey").get("accessKey")).isEqualTo(before.get("accessKey"));
        Instant until = Instant.parse(after.get("oldKey").get("until").textValue());
        assertThat(until).isBetween(now().plusSeconds(3_500), now().plusSeconds(3_700));
        assertThat(statusAs(credentials(before))).isEqualTo(200);
        assertThat(statusAs(credentials(after))).isEqualTo(200);

        ahead = Duration.ofSeconds(3_601);

        assertThat(statusAs(credentials(before))).isEqualTo(401);
        assertThat(statusAs(credentials(after))).isEqualTo(200);
        JsonNode shown = rest.get(USERS).json().get("users");
        assertThat(shown.get(shown.findValuesAsText("user").indexOf(ann)).has("oldKey"))
                .isFalse();
    }

    @Test
    void ofThreeKeysTheOldestEndsAtOnce() throws Exception {
        JsonNode first = add("{'user':'ann'}");
        JsonNode second = rotate("{'graceSeconds':3600}");
        JsonNode third = rotate("{'graceSeconds':60}");

        assertThat(statusAs(credentials(first))).isEqualTo(401);
        assertThat(statusAs(credentials(second))).isEqualTo(200);
        assertThat(statusAs(credentials(third))).isEqualTo(200);
    }

    @Test
    void bothKeysHoldAfterARestart() throws Exception {
        JsonNode before = add("{'user':'ann'}");
        JsonNode after = rotate("{'graceSeconds':3600}");
        rest.close();

        start();

        assertThat(statusAs(credentials(before))).isEqualTo(200);
        assertThat(statusAs(credentials(after))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'graceSeconds':-1}", "{'graceSeconds':2592001}", "{'graceSeconds':1.5}", "{'grace':1}"})
    void graceOutsideItsBoundsIsRefused(String body) throws Exception {
        String credentials = credentials(add("{'user':'ann'}"));

        assertThat(rest.send("POST", ofAnn + "/key", json(body)).status()).isEqualTo(400);

        assertThat(statusAs(credentials)).isEqualTo(200);
    }
}
