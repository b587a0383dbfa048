// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.http.rest.RestFixture.Answer;

/** Consumer groups over REST, by a real server and client. */
@Timeout(90)
class RestGroupsTest {
    private static final String GROUP = "/v1/topics/orders/groups/shop";
    private static final Map<String, String> LEASE = Map.of("SERVICE_MEMBERTTL", "10s");

    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data, LEASE);
        rest.createTopic("orders", 4);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private void put(int partition, String... values) throws Exception {
        for (String value : values) {
            String path = "/v1/topics/orders/partitions/" + partition + "/messages";
            Answer put = rest.send("POST", path, json("{'messages':[{'value':'" + value + "'}]}"));
            assertThat(put.status()).as(put.text()).isEqualTo(200);
        }
    }

    private String join() throws Exception {
        Answer joined = rest.send("POST", GROUP + "/members", "{}");
        assertThat(joined.status()).as(joined.text()).isEqualTo(201);
        return joined.json().get("member").textValue();
    }

    private JsonNode fetch(String member, String body) throws Exception {
        Answer fetched = rest.send("POST", GROUP + "/members/" + member + "/fetch", json(body));
        assertThat(fetched.status()).as(fetched.text()).isEqualTo(200);
        return fetched.json();
    }

    /** Everything that comes, each answer committed by the next fetch. */
    private List<String> drain(String member) throws Exception {
        List<String> values = new ArrayList<>();
        JsonNode fetched = fetch(member, "{}");
        while (!fetched.get("messages").isEmpty()) {
            values.addAll(values(fetched));
            fetched = fetch(member, "{'commit':" + fetched.get("next") + "}");
        }
        return values;
    }

    private static List<String> values(JsonNode fetched) {
        return fetched.get("messages").findValuesAsText("value");
    }

    private static Set<Integer> numbers(JsonNode list) {
        Set<Integer> numbers = new HashSet<>();
        list.forEach(each -> numbers.add(each.intValue()));
        return numbers;
    }

    @Test
    void memberReadsEveryPartitionAndGoesOnAtWhatItCommitted() throws Exception {
        put(0, "a", "b");
        put(3, "c");
        String member = join();

        assertThat(drain(member)).containsExactlyInAnyOrder("a", "b", "c");
        put(0, "d");
        assertThat(drain(member)).containsExactly("d");
        assertThat(rest.get(GROUP).json().get("lag").intValue()).isZero();
    }

    @Test
    void whatIsNotCommittedComesAgainUnlessThePositionIsGiven() throws Exception {
        put(1, "a", "b");
        String member = join();

        JsonNode first = fetch(member, "{}");
        assertThat(values(first)).containsExactly("a", "b");
        assertThat(values(fetch(member, "{}"))).containsExactly("a", "b");
        assertThat(values(fetch(member, "{'positions':" + first.get("next") + "}")))
                .isEmpty();
    }

    @Test
    void membersShareThePartitionsAndAJoiningOneGetsItsPart() throws Exception {
        String one = join();
        assertThat(fetch(one, "{}").get("partitions")).hasSize(4);

        String two = join();
        Set<Integer> ofOne = numbers(fetch(one, "{}").get("partitions"));
        Set<Integer> ofTwo = numbers(fetch(two, "{}").get("partitions"));

        assertThat(ofOne).hasSize(2);
        assertThat(ofTwo).hasSize(2).doesNotContainAnyElementsOf(ofOne);
    }

    @Test
    void partitionWithMessagesNotCommittedIsHandedOverWhenTheyAre() throws Exception {
        for (int partition = 0; partition < 4; partition++) {
            put(partition, "of-" + partition);
        }
        String one = join();
        JsonNode all = fetch(one, "{}");
        String two = join();

        JsonNode reading = fetch(one, "{'positions':" + all.get("next") + "}");
        assertThat(reading.get("partitions")).hasSize(4);
        assertThat(reading.get("revoking")).hasSize(2);
        assertThat(fetch(two, "{}").get("partitions")).isEmpty();

        JsonNode done = fetch(one, "{'commit':" + all.get("next") + "}");
        assertThat(done.get("lost")).isEmpty();
        assertThat(done.get("partitions")).hasSize(2);
        JsonNode taken = fetch(two, "{}");
        assertThat(taken.get("partitions")).hasSize(2);
        assertThat(taken.get("messages")).isEmpty(); // all of it was committed before
    }

    @Test
    void waitingMemberIsAnsweredByAPutToAnyOfItsPartitions() throws Exception {
        String member = join();
        CompletableFuture<JsonNode> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return fetch(member, "{'wait':3000}");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        put(2, "late");

        assertThat(values(waiting.get())).containsExactly("late");
    }

    @Test
    void waitingMemberTakesOverWhatAnotherLeaves() throws Exception {
        put(0, "a");
        put(1, "b");
        put(2, "c");
        put(3, "d");
        String one = join();
        String two = join(); // the first holds everything until it asks again
        assertThat(rest.send("DELETE", GROUP + "/members/" + one, "").status()).isEqualTo(204);

        assertThat(values(fetch(two, "{'wait':3000}"))).containsExactlyInAnyOrder("a", "b", "c", "d");
    }

    @Test
    void silentMemberLosesItsLeaseAndCanCommitNothingAfterwards() throws Exception {
        put(0, "a");
        Answer short1 = rest.send("POST", GROUP + "/members", json("{'lease':2000}"));
        String silent = short1.json().get("member").textValue();
        assertThat(short1.json().get("lease").intValue()).isEqualTo(2_000);
        JsonNode got = fetch(silent, "{}");
        String other = join();

        List<String> taken = List.of();
        while (taken.isEmpty()) { // until the silent one's lease is over
            taken = values(fetch(other, "{'wait':1000}"));
        }
        assertThat(taken).containsExactly("a");
        Answer late = rest.send(
                "POST", GROUP + "/members/" + silent + "/commit", json("{'offsets':" + got.get("next") + "}"));
        assertThat(late.status()).isEqualTo(404);
        assertThat(late.json().get("code").textValue()).isEqualTo("consumer-not-exist");
        assertThat(late.json().get("outcome").textValue()).isEqualTo("did-not-happen");
    }

    @Test
    void commitOfAnothersPartitionStoresNothing() throws Exception {
        put(0, "a");
        put(3, "b");
        String one = join();
        JsonNode all = fetch(one, "{}");
        String two = join();
        fetch(one, "{}"); // releases two of them
        assertThat(fetch(two, "{}").get("partitions")).hasSize(2);

        Answer commit =
                rest.send("POST", GROUP + "/members/" + one + "/commit", json("{'offsets':" + all.get("next") + "}"));

        assertThat(commit.status()).isEqualTo(409);
        assertThat(commit.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        rest.get(GROUP)
                .json()
                .get("partitions")
                .forEach(each -> assertThat(each.has("committed")).isFalse());
        JsonNode fetched = fetch(one, "{'commit':" + all.get("next") + "}");
        assertThat(fetched.get("lost")).hasSize(1);
    }

    /** Checks that a client that looks at the status alone does not take a partial commit for stored. */
    @Test
    void commitThatIsStoredForSomePartitionsIsNoSuccess() throws Exception {
        put(0, "a");
        put(3, "b");
        rest.close();
        loseSegments(3);
        rest = new RestFixture(data, LEASE);
        String commit = GROUP + "/members/" + join() + "/commit";

        Answer partly =
                rest.send("POST", commit, json("{'offsets':[{'partition':0,'offset':1},{'partition':3,'offset':1}]}"));

        assertThat(partly.status()).as(partly.text()).isEqualTo(503);
        assertThat(partly.header("Retry-After")).isNotEmpty();
        assertThat(partly.json().get("code").textValue()).isEqualTo("partition-not-serving");
        assertThat(partly.json().get("committed")).hasToString("[0]");
        assertThat(partly.json().get("unserved")).hasToString("[3]");
        JsonNode committed = rest.get(GROUP).json().get("partitions");
        assertThat(committed.get(0).get("committed").intValue()).isEqualTo(1);
        assertThat(committed.get(3).has("committed")).isFalse();
    }

    /** A partition that lacks a segment is not served. */
    private void loseSegments(int partition) throws Exception {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (file.resolve("..").normalize().endsWith(Integer.toString(partition))) {
                    Files.delete(file);
                }
            }
        }
    }

    /** A fetch that fails after its commit says what is known of the commit. */
    @Test
    void failureAfterACommitSaysWhatWasCommitted() throws Exception {
        put(0, "a");
        put(3, "b");
        String one = join();
        String two = join();
        assertThat(fetch(one, "{}").get("partitions").toString()).isEqualTo("[0,1]");
        assertThat(fetch(two, "{}").get("partitions").toString()).isEqualTo("[2,3]");
        String ofOne = "{'partition':0,'offset':1}";
        String ofTwo = "{'partition':3,'offset':1}";

        assertThat(outcome(one, ofTwo)).isEqualTo("did-not-happen");
        assertThat(outcome(one, ofOne + "," + ofTwo)).isEqualTo("unknown");
        assertThat(outcome(one, ofOne)).isEqualTo("happened");
    }

    /** The outcome of a fetch that commits and then fails, as its offset is out of range. */
    private String outcome(String member, String commit) throws Exception {
        String body = "{'commit':[" + commit + "],'positions':[{'partition':0,'offset':999}]}";
        Answer refused = rest.send("POST", GROUP + "/members/" + member + "/fetch", json(body));
        assertThat(refused.status()).as(refused.text()).isGreaterThanOrEqualTo(400);
        return refused.json().get("outcome").textValue();
    }

    @Test
    void commitGoesNeitherBackNorBeyondTheEnd() throws Exception {
        put(0, "a", "b");
        String member = join();
        String commit = GROUP + "/members/" + member + "/commit";
        assertThat(rest.send("POST", commit, json("{'offsets':[{'partition':0,'offset':2}]}"))
                        .status())
                .isEqualTo(204);
        assertThat(rest.send("POST", commit, json("{'offsets':[{'partition':0,'offset':2}]}"))
                        .status())
                .isEqualTo(204);
        assertThat(rest.send("POST", commit, json("{'offsets':[{'partition':0,'offset':1}]}"))
                        .status())
                .isEqualTo(409);
        assertThat(rest.send("POST", commit, json("{'offsets':[{'partition':0,'offset':3}]}"))
                        .status())
                .isEqualTo(416);
        assertThat(rest.send("POST", commit, json("{'offsets':[{'partition':4,'offset':0}]}"))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void groupThatBeginsAtTheEndMissesNothingBetweenItsFetches() throws Exception {
        put(0, "old");
        String member = join();
        assertThat(values(fetch(member, "{'begin':'latest'}"))).isEmpty();
        put(0, "new");

        assertThat(values(fetch(member, "{'begin':'latest'}"))).containsExactly("new");
    }

    @Test
    void groupThatBeginsAtTheEndGetsAllMessagesOfAPartitionThatComesLater() throws Exception {
        put(0, "old");
        String member = join();
        assertThat(values(fetch(member, "{'begin':'latest'}"))).isEmpty();
        Answer grown = rest.send("PATCH", "/v1/topics/orders", json("{'partitions':5}"));
        assertThat(grown.status()).as(grown.text()).isEqualTo(200);
        put(4, "first of the new partition");

        await().untilAsserted(() ->
                assertThat(values(fetch(member, "{'begin':'latest'}"))).containsExactly("first of the new partition"));
    }

    /** The first fetch is the moment from which on the group gets everything, whoever reads a partition later. */
    @Test
    void groupBeginsAtTheEndsOfAllPartitionsAtOnce() throws Exception {
        put(3, "old");
        String one = join();
        String two = join();
        fetch(one, "{'begin':'latest'}");
        put(0, "new 0");
        put(1, "new 1");
        put(2, "new 2");
        put(3, "new 3");

        Set<String> values = new TreeSet<>();
        await().until(() -> {
            values.addAll(values(fetch(one, "{'begin':'latest'}")));
            values.addAll(values(fetch(two, "{'begin':'latest'}")));
            return values.size() == 4;
        });

        assertThat(values).containsExactly("new 0", "new 1", "new 2", "new 3");
    }

    @Test
    void fetchGivesNoMoreThanAskedAndNoPartitionWaitsForEver() throws Exception {
        for (int partition = 0; partition < 4; partition++) {
            put(partition, "1-" + partition, "2-" + partition, "3-" + partition);
        }
        String member = join();
        List<String> values = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        JsonNode fetched = fetch(member, "{'maxMessages':2}");
        for (int i = 0; i < 2; i++) {
            assertThat(fetched.get("messages")).hasSize(2);
            values.addAll(values(fetched));
            fetched.get("messages")
                    .forEach(each -> seen.add(each.get("partition").intValue()));
            fetched = fetch(member, "{'maxMessages':2,'commit':" + fetched.get("next") + "}");
        }

        assertThat(values).doesNotHaveDuplicates();
        assertThat(seen).hasSize(4);
    }

    @Test
    void resetIsShownBeforeItHappensAndRefusedWhileAMemberLives() throws Exception {
        put(0, "a", "b");
        put(1, "c");
        String member = join();
        assertThat(drain(member)).hasSize(3);
        String reset = GROUP + "/reset";

        JsonNode preview = rest.send("POST", reset, json("{'to':'earliest','preview':true}"))
                .json();
        Map<Integer, Long> moved = new HashMap<>();
        preview.get("partitions")
                .forEach(each -> moved.put(
                        each.get("partition").intValue(), each.get("to").longValue()));
        assertThat(preview.get("preview").booleanValue()).isTrue();
        assertThat(moved).containsEntry(0, 0L).containsEntry(1, 0L);
        assertThat(rest.get(GROUP).json().get("lag").intValue()).isZero();

        assertThat(rest.send("POST", reset, json("{'to':'earliest'}")).status()).isEqualTo(409);
        assertThat(rest.send("DELETE", GROUP + "/members/" + member, "").status())
                .isEqualTo(204);
        assertThat(rest.send("POST", reset, json("{'offset':1,'partitions':[0]}"))
                        .status())
                .isEqualTo(200);
        assertThat(drain(join())).containsExactly("b");
    }

    @Test
    void descriptionSaysByWhatAMemberJoined() throws Exception {
        String member = join();

        JsonNode described = rest.get(GROUP).json().get("members").get(0);

        assertThat(described.get("member").textValue()).isEqualTo(member);
        assertThat(described.get("kind").textValue()).isEqualTo("rest");
    }

    @Test
    void groupsAreListedAndDeletedWhenNobodyIsLeft() throws Exception {
        put(0, "a");
        String member = join();
        drain(member);
        assertThat(rest.get("/v1/topics/orders/groups")
                        .json()
                        .get("groups")
                        .get(0)
                        .textValue())
                .isEqualTo("shop");
        assertThat(rest.send("DELETE", GROUP, "").status()).isEqualTo(409);
        rest.send("DELETE", GROUP + "/members/" + member, "");

        assertThat(rest.send("DELETE", GROUP, "").status()).isEqualTo(204);
        assertThat(rest.get(GROUP).status()).isEqualTo(404);
        assertThat(rest.get("/v1/topics/orders/groups").json().get("groups")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/members/no-such-member/fetch|{}|404",
                "/members/10_0_0_1-rest-1000-0123456789abcdef/fetch|{}|404",
                "/members/10_0_0_1-rest-1000-0123456789abcdef/heartbeat||404",
                "/members|{'lease':10}|400",
                "/members|{'unknown':1}|400",
                "/reset|{}|400",
                "/reset|{'to':'earliest','offset':3}|400",
                "/reset|{'to':'noon'}|400",
                "/reset|{'offset':1}|416",
                "/reset|{'to':'latest','partitions':[4]}|404",
                "/reset|{'to':'latest','partitions':[0,0]}|400",
            })
    void wrongRequestsAreRefused(String path, String body, int status) throws Exception {
        Answer answer = rest.send("POST", GROUP + path, body == null ? "" : json(body));

        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void twoListsOfOnePartitionAreRefused() throws Exception {
        String twice = "[{'partition':0,'offset':0},{'partition':0,'offset':0}]";
        Answer answer = rest.send("POST", GROUP + "/members/" + join() + "/commit", json("{'offsets':" + twice + "}"));

        assertThat(answer.status()).isEqualTo(422);
    }

    @Test
    void leaseIsAtMostWhatTheServerGives() throws Exception {
        Answer joined = rest.send("POST", GROUP + "/members", json("{'lease':600000}"));

        assertThat(joined.json().get("lease").intValue()).isEqualTo(10_000);
    }
}
