// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.client.admin.NewCredential;
import org.talos.server.http.rest.RestFixture.Answer;

/** Lists of topics and groups over REST: searched, sorted, counted, and in pages. */
@Timeout(90)
class RestListsTest {
    @TempDir
    private static Path data;

    private static RestFixture rest;

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
        topic("Orders-EU", 3);
        topic("orders-us", 1);
        topic("clicks", 2);
        topic("empty", 0);
        member("Orders-EU", "shipping");
        member("orders-us", "shipping");
        member("clicks", "reports");
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    @BeforeEach
    void asAdmin() {
        rest.asAdmin();
    }

    private static void topic(String name, int messages) throws Exception {
        rest.createTopic(name, 2);
        for (int i = 0; i < messages; i++) {
            Answer put = rest.send(
                    "POST", "/v1/topics/" + name + "/partitions/0/messages", json("{'messages':[{'value':'a'}]}"));
            assertThat(put.status()).as(put.text()).isEqualTo(200);
        }
    }

    private static void member(String topic, String group) throws Exception {
        assertThat(rest.send("POST", "/v1/topics/" + topic + "/groups/" + group + "/members", "{}")
                        .status())
                .isEqualTo(201);
    }

    private static JsonNode list(String path) throws Exception {
        Answer answer = rest.get(path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private static List<String> names(JsonNode page) {
        return page.get("topics").findValuesAsText("name");
    }

    private static List<String> groups(JsonNode page) {
        List<String> all = new ArrayList<>();
        page.get("groups")
                .forEach(each -> all.add(
                        each.get("topic").textValue() + "/" + each.get("group").textValue() + "=" + each.path("lag")));
        return all;
    }

    /** The messages that were put are in the list once a round has measured them. */
    private static void awaitRound() {
        await().until(() -> list("/v1/topics?sort=messages&order=desc&limit=1")
                        .get("topics")
                        .get(0)
                        .get("contents")
                        .path("messages")
                        .intValue()
                == 3);
    }

    @Test
    void topicsAreFoundByPartsOfTheirNamesAndCounted() throws Exception {
        JsonNode found = list("/v1/topics?contains=ORDERS&limit=1");
        assertThat(names(found)).containsExactly("Orders-EU");
        assertThat(found.get("total").intValue()).isEqualTo(2);

        assertThat(names(list("/v1/topics?contains=rder%20s"))).containsExactly("Orders-EU", "orders-us");
        assertThat(names(list("/v1/topics?prefix=ord"))).containsExactly("orders-us");
        JsonNode none = list("/v1/topics?contains=absent");
        assertThat(none.get("topics")).isEmpty();
        assertThat(none.get("total").intValue()).isZero();
        assertThat(none.has("ageMillis")).isFalse();
    }

    @Test
    void topicsAreSortedByTheirFiguresWhichAreInTheList() throws Exception {
        awaitRound();

        JsonNode most = list("/v1/topics?sort=messages&order=desc");
        assertThat(names(most)).containsExactly("Orders-EU", "clicks", "orders-us", "empty");
        JsonNode contents = most.get("topics").get(0).get("contents");
        assertThat(contents.get("partitions").intValue()).isEqualTo(2);
        assertThat(contents.get("bytes").longValue()).isPositive();
        assertThat(most.get("ageMillis").longValue()).isNotNegative();
        assertThat(names(list("/v1/topics?sort=size&order=asc&limit=2"))).containsExactly("empty", "orders-us");
        assertThat(names(list("/v1/topics?order=desc"))).containsExactly("orders-us", "empty", "clicks", "Orders-EU");
    }

    @Test
    void pagesBySizeHaveEachTopicOnce() throws Exception {
        awaitRound();

        List<String> all = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = list("/v1/topics?sort=size&order=desc&limit=1&after=" + after);
            all.addAll(names(page));
            after = page.path("next").asText();
        } while (!after.isEmpty());

        assertThat(all).containsExactly("Orders-EU", "clicks", "orders-us", "empty");
    }

    @Test
    void groupsOfAllTopicsAreFoundAndSortedByLag() throws Exception {
        JsonNode found = list("/v1/groups?sort=lag&order=desc");
        assertThat(groups(found)).containsExactly("Orders-EU/shipping=3", "clicks/reports=2", "orders-us/shipping=1");
        assertThat(found.get("total").intValue()).isEqualTo(3);
        assertThat(found.get("complete").booleanValue()).isTrue();
        assertThat(found.get("ageMillis").longValue()).isNotNegative();

        assertThat(groups(list("/v1/groups?contains=SHIPPING%20us"))).containsExactly("orders-us/shipping=1");
        assertThat(groups(list("/v1/groups?topic=clicks"))).containsExactly("clicks/reports=2");
        assertThat(groups(list("/v1/groups?prefix=rep&limit=1"))).containsExactly("clicks/reports=2");
        JsonNode first = list("/v1/groups?sort=topic&limit=2");
        assertThat(groups(first)).containsExactly("Orders-EU/shipping=3", "clicks/reports=2");
        assertThat(groups(list("/v1/groups?sort=topic&limit=2&after="
                        + first.get("next").textValue())))
                .containsExactly("orders-us/shipping=1");
        assertThat(rest.get("/v1/groups?topic=absent").status()).isEqualTo(404);
    }

    @Test
    void otherUsersFindNothingOfThem() throws Exception {
        NewCredential ann = rest.server.admin().addUser("ann", false, List.of(), List.of());
        rest.as(RestFixture.basic(ann.accessKey(), ann.secretKey()));

        for (String path : List.of("/v1/topics?contains=orders&sort=size", "/v1/groups?contains=orders&sort=lag")) {
            JsonNode found = list(path);
            assertThat(found.path("topics")).isEmpty();
            assertThat(found.path("groups")).isEmpty();
            assertThat(found.get("total").intValue()).isZero();
        }
        assertThat(rest.get("/v1/groups?topic=clicks").status()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/topics?sort=color          | sort (expected: name, owner, messages, size or rate)",
                "/v1/groups?sort=size           | sort (expected: name, topic or lag)",
                "/v1/topics?order=down          | order (expected: asc or desc)",
                "/v1/topics?sort=size&after=abc | after (expected: the next of a page with the same sort",
                "/v1/groups?sort=lag&after=a,b  | after (expected: the next of a page with the same sort",
                "/v1/groups?limit=1001          | limit (expected: 1..1000)",
                "/v1/topics?state=open          | unknown parameter state"
            })
    void wrongParametersAreRefusedWithTheRightOnes(String path, String detail) throws Exception {
        Answer answer = rest.get(path);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.json().get("detail").textValue()).contains(detail);
    }

    @Test
    void tooLongATextIsRefused() throws Exception {
        Answer answer = rest.get("/v1/topics?contains=" + "x".repeat(201));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").textValue()).contains("at most 200 characters");
    }
}
