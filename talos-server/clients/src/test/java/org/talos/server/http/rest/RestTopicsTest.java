// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;
import org.talos.server.http.rest.RestFixture.Answer;

/** Topics over REST, and what every route has in common: names, methods, credentials. */
@Timeout(60)
class RestTopicsTest {
    @TempDir
    private static Path data;

    private static RestFixture rest;

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    @BeforeEach
    void asAdmin() {
        rest.asAdmin();
    }

    @Test
    void topicIsMadeShownChangedAndDeleted() throws Exception {
        Answer made = rest.send(
                "POST",
                "/v1/topics",
                json("{'name':'made','partitions':2,'retentionSeconds':3600,'attributes':{'a':'b'}}"));
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        assertThat(made.header("Location")).isEqualTo("/v1/topics/made");
        assertThat(made.json().get("partitionStates")).hasSize(2);

        JsonNode shown = rest.get("/v1/topics/made").json();
        assertThat(shown.get("retentionSeconds").intValue()).isEqualTo(3_600);
        assertThat(shown.get("attributes").get("a").textValue()).isEqualTo("b");

        Answer changed = rest.send("PATCH", "/v1/topics/made", json("{'retentionSeconds':7200}"));
        assertThat(changed.json().get("retentionSeconds").intValue()).isEqualTo(7_200);
        assertThat(changed.json().get("partitions").intValue()).isEqualTo(2);

        assertThat(rest.send("DELETE", "/v1/topics/made", "").status()).isEqualTo(204);
        assertThat(rest.get("/v1/topics/made").status()).isEqualTo(404);
    }

    private void makeSource(String name) throws Exception {
        assertThat(rest.send(
                                "POST",
                                "/v1/topics",
                                json("{'name':'" + name + "','partitions':2,'retentionSeconds':7200,"
                                        + "'attributes':{'color':'red'}}"))
                        .status())
                .isEqualTo(201);
        rest.send("PUT", "/v1/topics/" + name + "/permissions/CI77", json("{'get':true}"));
        rest.send("PUT", "/v1/topics/" + name + "/quota", json("{'putsPerSecond':123}"));
        rest.send("POST", "/v1/topics/" + name + "/messages", json("{'messages':[{'value':'x'}]}"));
    }

    private static void assertLikeSource(String name) throws Exception {
        JsonNode topic = rest.get("/v1/topics/" + name).json();
        assertThat(topic.get("partitions").intValue()).isEqualTo(2);
        assertThat(topic.get("retentionSeconds").intValue()).isEqualTo(7_200);
        assertThat(topic.get("attributes").get("color").textValue()).isEqualTo("red");
        assertThat(topic.get("totalMessages").longValue()).isZero();
        assertThat(rest.get("/v1/topics/" + name + "/permissions").text()).contains("CI77");
        assertThat(rest.get("/v1/topics/" + name + "/quota").text()).contains("123");
    }

    @Test
    void copyHasSettingsPermissionsAndQuotaAndNoMessages() throws Exception {
        makeSource("source");

        Answer copied = rest.send("POST", "/v1/topics/source/copy", json("{'name':'target'}"));

        assertThat(copied.status()).as(copied.text()).isEqualTo(201);
        assertThat(copied.header("Location")).isEqualTo("/v1/topics/target");
        assertLikeSource("target");
        assertThat(rest.get("/v1/topics/source").json().get("totalMessages").longValue())
                .isEqualTo(1);
        assertThat(rest.send("POST", "/v1/topics/source/copy", json("{'name':'target'}"))
                        .status())
                .isEqualTo(409);
        assertThat(rest.send("POST", "/v1/topics/source/copy", json("{'name':'a.b'}"))
                        .status())
                .isIn(400, 422);
    }

    @Test
    void topicThatIsMadeAgainHasAllButMessagesAndGroups() throws Exception {
        makeSource("again");
        String before = rest.get("/v1/topics/again").json().get("resourceName").textValue();
        rest.send("POST", "/v1/topics/again/groups/shop/reset", json("{'to':'latest'}"));

        Answer made = rest.send("POST", "/v1/topics/again/recreate", "");

        assertThat(made.status()).as(made.text()).isEqualTo(200);
        assertThat(made.json().get("resourceName").textValue()).isNotEqualTo(before);
        assertLikeSource("again");
        assertThat(rest.get("/v1/topics/again/groups").json().get("groups")).isEmpty();
    }

    @Test
    void topicCountsAllMessagesThatWereEverPut() throws Exception {
        rest.createTopic("counted", 2);
        assertThat(rest.get("/v1/topics/counted").json().get("totalMessages").longValue())
                .isZero();

        for (int partition = 0; partition < 2; partition++) {
            Answer put = rest.send(
                    "POST",
                    "/v1/topics/counted/partitions/" + partition + "/messages",
                    json("{'messages':[{'value':'a'},{'value':'b'}]}"));
            assertThat(put.status()).as(put.text()).isEqualTo(200);
        }

        assertThat(rest.get("/v1/topics/counted").json().get("totalMessages").longValue())
                .isEqualTo(4);
    }

    @Test
    void listIsSortedAndComesInPages() throws Exception {
        for (String name : List.of("page-b", "page-a", "page-c")) {
            rest.createTopic(name, 1);
        }

        JsonNode one = rest.get("/v1/topics?prefix=page-&limit=2").json();
        assertThat(one.get("topics").findValuesAsText("name")).containsExactly("page-a", "page-b");
        JsonNode two = rest.get("/v1/topics?prefix=page-&limit=2&after="
                        + one.get("next").textValue())
                .json();
        assertThat(two.get("topics").findValuesAsText("name")).containsExactly("page-c");
        assertThat(two.has("next")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'name':'\\ud800','partitions':1}",
                "{'name':'\\udc00\\ud800','partitions':1}",
                "{'name':'half','partitions':1,'attributes':{'a':'b\\uD83Dc'}}",
                "{'name':'half','partitions':1,'attributes':{'\\uDE00':'b'}}",
                "{'name':'half','partitions':1,'\\ud800':1}"
            })
    void halfOfASurrogatePairIsNoText(String body) throws Exception {
        Answer answer = rest.send("POST", "/v1/topics", json(body));

        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.json().get("detail").textValue()).contains("surrogate");
        assertThat(rest.get("/v1/topics/half").status()).isEqualTo(404);
    }

    @Test
    void secondTopicOfANameIsAConflict() throws Exception {
        rest.createTopic("twice", 1);

        Answer again = rest.send("POST", "/v1/topics", json("{'name':'twice','partitions':1}"));

        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().get("code").textValue()).isEqualTo("topic-exist");
    }

    @Test
    void whoMayNothingIsTold() throws Exception {
        rest.createTopic("private", 1);
        NewCredential ann = rest.server.admin().addUser("ann", false, List.of(), List.of());
        rest.as(RestFixture.basic(ann.accessKey(), ann.secretKey()));

        assertThat(rest.get("/v1/topics/private").status()).isEqualTo(403);
        assertThat(rest.get("/v1/topics/private/partitions/0/messages").status())
                .isEqualTo(403);
        assertThat(rest.post("/v1/topics/private/messages", BodyPublishers.ofString("x"))
                        .status())
                .isEqualTo(403);
        assertThat(rest.get("/v1/topics").json().get("topics")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/nothing",
                "/v1/topics/",
                "/v1/topics//messages",
                "/v1/topics/a%2Fb",
                "/v1/topics/a%00b",
                "/v1/topics/..%5C",
                "/v1/topics/a/partitions/x/messages",
                "/v1/topics/a/partitions/-1/messages",
                "/v1/topics/a/partitions/99999999999/messages",
                "/v1/topics/absent",
                "/v1/topics/absent/offsets",
                "/v1/topics/absent/partitions/0/messages"
            })
    void whatIsNotThereIsNotFound(String path) throws Exception {
        Answer answer = rest.get(path);

        assertThat(answer.status()).as(answer.text()).isIn(404, 400);
        assertThat(answer.header("Content-Type")).isIn("application/problem+json", "text/plain; charset=utf-8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a b",
                "%C3%A4",
                "_x",
                "x_",
                "-x",
                "a;b",
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
            })
    void oddNamesAreRefused(String name) throws Exception {
        String text = name.replace("%C3%A4", "ä");

        Answer made = rest.send("POST", "/v1/topics", json("{'name':'" + text + "','partitions':1}"));

        assertThat(made.status()).as(made.text()).isEqualTo(400);
    }

    @Test
    void otherMethodsAreRefusedAndTheRightOnesNamed() throws Exception {
        Answer answer = rest.send("PUT", "/v1/topics", "{}");

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo("GET, POST");
        assertThat(answer.text()).contains("this method is not allowed here; allowed: GET, POST");
    }

    @Test
    void unknownAndRepeatedParametersAreRefusedByName() throws Exception {
        assertThat(rest.get("/v1/topics?color=red").text()).contains("unknown parameter color");
        assertThat(rest.get("/v1/topics?limit=1&limit=2").text()).contains("limit comes more than once");
        assertThat(rest.get("/v1/topics?limit=0").status()).isEqualTo(400);
        assertThat(rest.send("POST", "/v1/topics", json("{'name':'n','partitions':1,'x':1}"))
                        .text())
                .contains("unknown field x");
    }

    @Test
    void requestIdIsEchoedOrMade() throws Exception {
        HttpRequest named =
                rest.request("/v1/topics").header("X-Request-Id", "my-id.1").build();

        assertThat(rest.send(named).header("X-Request-Id")).isEqualTo("my-id.1");
        assertThat(rest.get("/v1/topics").header("X-Request-Id")).hasSize(16);
    }

    @Test
    void bodyThatIsTooLargeIsRefused() throws Exception {
        byte[] large = new byte[2 << 20];

        assertThat(rest.post("/v1/topics", BodyPublishers.ofByteArray(large), "Content-Type", "application/json")
                        .status())
                .isEqualTo(413);
        assertThat(rest.post("/v1/topics", BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(large)))
                        .status())
                .isEqualTo(413);
    }

    @Test
    void getWithABodyIsRefused() throws Exception {
        Answer answer = rest.send("GET", "/v1/topics", "{}");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").textValue()).contains("a GET with a body");
    }

    @Test
    void descriptionNeedsNoKey() throws Exception {
        rest.as("");

        assertThat(rest.get("/v1/openapi.json").json().get("openapi").textValue())
                .startsWith("3.1");
    }

    @Test
    void signedRequestIsTakenAndAForgedOneNot() throws Exception {
        byte[] body = json("{'name':'signed','partitions':1}").getBytes(StandardCharsets.UTF_8);
        rest.as("");

        assertThat(rest.send(signed("POST", "/v1/topics", body, body, 0)).status())
                .isEqualTo(201);
        assertThat(rest.send(signed("GET", "/v1/topics/signed", new byte[0], new byte[0], 0))
                        .status())
                .isEqualTo(200);
        byte[] other = json("{'name':'forged','partitions':1}").getBytes(StandardCharsets.UTF_8);
        assertThat(rest.send(signed("POST", "/v1/topics", body, other, 0)).status())
                .isEqualTo(401);
        Answer skewed = rest.send(signed("POST", "/v1/topics", body, body, 3_600));
        assertThat(skewed.status()).isEqualTo(412);
        assertThat(skewed.header("X-Xiaomi-Timestamp")).isNotEmpty();
    }

    /** Signed over one body, sent with another. */
    private static HttpRequest signed(String method, String path, byte[] signedBody, byte[] sent, long skewSeconds)
            throws Exception {
        TalosEndpoint admin = rest.server.endpoint();
        Instant now = Instant.now().plusSeconds(skewSeconds);
        Map<String, List<String>> headers = new TreeMap<>();
        headers.put("content-type", List.of("application/json"));
        headers.put("x-xiaomi-content-md5", List.of(RequestSignature.md5Hex(signedBody)));
        headers.put("x-xiaomi-request-digest", List.of(RequestDigest.of(null, List.of())));
        headers.put("x-xiaomi-timestamp", List.of(Long.toString(now.getEpochSecond())));
        headers.put(
                "x-xiaomi-date", List.of(DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC))));
        String text = RequestSignature.stringToSign(method, path, null, headers);
        HttpRequest.Builder request = rest.request(path).method(method, BodyPublishers.ofByteArray(sent));
        headers.forEach((name, values) -> request.header(name, values.get(0)));
        request.header(
                "Authorization",
                "Galaxy-V3 " + admin.accessKey() + ":" + RequestSignature.sign(admin.secretKey(), text));
        return request.build();
    }
}
