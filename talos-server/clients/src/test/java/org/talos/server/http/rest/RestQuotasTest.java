// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.http.rest.RestFixture.Answer;

/** Quotas and permissions over REST, and what they do to puts and gets. */
@Timeout(60)
class RestQuotasTest {
    private static final String PUT = "/v1/topics/orders/partitions/0/messages";
    private static final String QUOTA = "/v1/topics/orders/quota";
    private static final int REFUSALS = 20;

    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data);
        rest.createTopic("orders", 1);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private String user(String name, String... orgs) throws Exception {
        NewCredential credential = new TalosAdmin(new TalosClient(rest.server.endpoint()).once())
                .addUser(name, false, List.of(orgs), List.of());
        return basic(credential.accessKey(), credential.secretKey());
    }

    /**
     * Returns the most that a rate allows from then until now, with one second's worth at once and the second that has
     * begun.
     */
    private static int mostWithin(long begunNanos, int perSecond) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos);
        return perSecond * (2 + Math.toIntExact(seconds));
    }

    private Answer put(String value) throws Exception {
        return rest.post(PUT, BodyPublishers.ofString(value));
    }

    @Test
    void putsOverTheTopicsRateAreRefusedAndNothingOfThemIsStored() throws Exception {
        assertThat(rest.send("PUT", QUOTA, json("{'putsPerSecond':2}")).status())
                .isEqualTo(204);
        long begun = System.nanoTime();
        int stored = 0;
        List<Answer> others = new ArrayList<>();
        while (others.size() < REFUSALS) { // however long each put takes
            Answer answer = put("m");
            if (answer.status() == 201) {
                stored++;
            } else {
                others.add(answer);
            }
        }
        Answer refused = others.get(0);

        assertThat(stored).isBetween(2, mostWithin(begun, 2));
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isNotEmpty();
        assertThat(refused.json().get("code").textValue()).isEqualTo("throttle-reject-error");
        assertThat(refused.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(refused.json().get("retryable").booleanValue()).isTrue();
        assertThat(rest.get(PUT).json().get("end").intValue()).isEqualTo(stored);
    }

    @Test
    void secretIsServedWhileWrongOnesOfItsAddressAreSlowedDown() throws Exception {
        rest.close();
        rest = new RestFixture(data, Map.of("HTTP_LIMITS_FAILEDKEYSPERMINUTE", "2"));
        List<Integer> guesses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            rest.as(basic("admin", "guess" + i));
            guesses.add(put("m").status());
            rest.asAdmin();
            assertThat(put("m").status()).isEqualTo(201);
        }

        assertThat(guesses).containsExactly(401, 401, 429, 429);
    }

    @Test
    void requestThatWaitsCountsItsWholeHead() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest.Builder large = rest.request(PUT + "?wait=2000");
        for (int i = 0; i < 60; i++) {
            large.header("X-Padding-" + i, "x".repeat(150));
        }

        CompletableFuture<HttpResponse<String>> waiting = client.sendAsync(large.build(), BodyHandlers.ofString());

        await().until(() -> Pattern.compile("talos_http_request_memory_bytes 1[0-9]{4}\n") // of the head; else 2048
                .matcher(client.send(
                                HttpRequest.newBuilder(
                                                rest.server.managementUri().resolve("/metrics"))
                                        .build(),
                                BodyHandlers.ofString())
                        .body())
                .find());
        assertThat(waiting.get().statusCode()).isEqualTo(200);
    }

    @Test
    void requestsThatWaitBeyondTheUsersBoundAreRefusedAndOthersAreNot() throws Exception {
        rest.close();
        rest = new RestFixture(data, Map.of("HTTP_LIMITS_WAITINGPERUSER", "2"));
        String reader = user("reader");
        String other = user("other");
        for (String name : List.of("reader", "other")) {
            rest.send("PUT", "/v1/topics/orders/permissions/" + name, json("{'put':false,'get':true}"));
        }
        HttpClient client = HttpClient.newHttpClient();
        rest.as(reader);
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            waiting.add(client.sendAsync(rest.request(PUT + "?wait=20000").build(), BodyHandlers.ofString()));
        }
        await().until(() -> client.send(
                        HttpRequest.newBuilder(rest.server.managementUri().resolve("/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body()
                .contains("talos_http_request_memory_bytes 4096\n")); // 2 KiB each

        Answer refused = rest.get(PUT + "?wait=1");
        assertThat(refused.json().get("detail").textValue()).contains("http.limits.waitingPerUser");
        assertThat(refused.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(rest.get("/v1/topics/orders/partitions/0/events").status()).isEqualTo(429);
        assertThat(rest.get(PUT).status()).as("waits for nothing").isEqualTo(200);
        rest.as(other);
        assertThat(rest.get(PUT + "?wait=1").status()).isEqualTo(200);
        rest.asAdmin();
        put("m");
        for (CompletableFuture<HttpResponse<String>> each : waiting) {
            assertThat(each.get().statusCode()).isEqualTo(200);
        }
        rest.as(reader);
        assertThat(rest.get(PUT + "?from=latest&wait=1").status())
                .as("room again")
                .isEqualTo(200);
    }

    /** Of the memory one user alone may have half: less than the get may return. */
    @Test
    void getFromStorageReservesWhatItReadsAndNotAllThatItMayReturn() throws Exception {
        put("m");
        rest.close();
        rest = new RestFixture(
                data,
                Map.of(
                        "HTTP_MAXBODYBYTES", "1MiB",
                        "HTTP_MAXREQUESTMEMORYBYTES", "2MiB",
                        "SERVICE_MAXGETBYTES", "2MiB"));

        Answer got = rest.get(PUT + "?from=0&maxBytes=2097152");

        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(got.json().get("messages")).hasSize(1);
    }

    @Test
    void readerWhoGotMuchIsRefusedForAWhile() throws Exception {
        put("x".repeat(200_000));
        rest.send("PUT", QUOTA, json("{'getBytesPerSecond':10000}"));

        assertThat(rest.get(PUT).status()).isEqualTo(200);
        Answer again = rest.get(PUT);
        assertThat(again.status()).isEqualTo(429);
        assertThat(Integer.parseInt(again.header("Retry-After")))
                .as("200,000 bytes and those of a block's head at 10,000 a second, one second's worth at once")
                .isBetween(10, 20);
        assertThat(rest.send("DELETE", QUOTA, "").status()).isEqualTo(204);
        assertThat(rest.get(PUT).status()).isEqualTo(200);
        assertThat(rest.get(QUOTA).json().has("getBytesPerSecond")).isFalse();
    }

    @Test
    void usersQuotaIsForAdministratorsToSetAndForTheUserToSee() throws Exception {
        String ann = user("ann");
        rest.as(ann);
        assertThat(rest.get("/v1/quota").status()).isEqualTo(404);
        assertThat(rest.send("PUT", "/v1/quotas/users/ann", "{}").status()).isEqualTo(403);
        assertThat(rest.get("/v1/quotas/users").status()).isEqualTo(403);
        rest.asAdmin();
        assertThat(rest.send("PUT", "/v1/quotas/users/ann", json("{'topics':1,'space':1000000}"))
                        .status())
                .isEqualTo(204);
        assertThat(rest.get("/v1/quotas/users")
                        .json()
                        .get("users")
                        .get(0)
                        .get("user")
                        .textValue())
                .isEqualTo("ann");

        rest.as(ann);
        JsonNode own = rest.get("/v1/quota").json();
        assertThat(own.get("topics").intValue()).isEqualTo(1);
        assertThat(own.has("putsPerSecond")).isFalse();
        assertThat(own.has("usedPutsPerSecond")).isFalse();
        assertThat(own.get("usedTopics").intValue()).isZero();
        rest.createTopic("anns", 1);
        Answer second = rest.send("POST", "/v1/topics", json("{'name':'second','partitions':1}"));
        assertThat(second.status()).isEqualTo(429);
        assertThat(second.json().get("code").textValue()).isEqualTo("quota-exceeded");
        rest.asAdmin();
        assertThat(rest.send("DELETE", "/v1/quotas/users/ann", "").status()).isEqualTo(204);
        assertThat(rest.send("DELETE", "/v1/quotas/users/ann", "").status()).isEqualTo(404);
    }

    @Test
    void administratorSeesTheQuotaOfOneUser() throws Exception {
        String ann = user("ann");
        assertThat(rest.get("/v1/quotas/users/ann").json().get("code").textValue())
                .isEqualTo("quota-not-exist");
        rest.send("PUT", "/v1/quotas/users/ann", json("{'topics':3,'putsPerSecond':1000}"));

        JsonNode quota = rest.get("/v1/quotas/users/ann").json();

        assertThat(quota.get("topics").intValue()).isEqualTo(3);
        assertThat(quota.get("putsPerSecond").intValue()).isEqualTo(1_000);
        assertThat(quota.get("usedTopics").intValue()).isZero();
        rest.as(ann);
        assertThat(rest.get("/v1/quotas/users/ann").status()).isEqualTo(403);
        assertThat(rest.get("/v1/quotas/users/nobody").status()).isEqualTo(403);
    }

    @Test
    void useIsShownAgainstTheBoundsOfAUserAndOfATopic() throws Exception {
        String ann = user("ann");
        rest.send("PUT", "/v1/topics/orders/permissions/ann", json("{'put':true,'get':true}"));
        rest.send("PUT", "/v1/quotas/users/ann", json("{'putsPerSecond':1000,'getBytesPerSecond':1000000}"));
        rest.send("PUT", QUOTA, json("{'putBytesPerSecond':1000000}"));
        rest.as(ann);
        assertThat(rest.send("POST", PUT, json("{'messages':[{'value':'a message'}]}"))
                        .status())
                .isEqualTo(200);
        assertThat(rest.get(PUT).status()).isEqualTo(200);

        JsonNode own = rest.get("/v1/quota").json();
        JsonNode topic = rest.get(QUOTA).json();

        assertThat(own.get("usedPutsPerSecond").doubleValue()).isPositive();
        assertThat(own.get("usedGetBytesPerSecond").doubleValue()).isPositive();
        assertThat(own.has("usedGetsPerSecond")).as("has no bound").isFalse();
        assertThat(topic.get("usedPutBytesPerSecond").doubleValue()).isPositive();
        assertThat(topic.has("usedTopics")).isFalse();
    }

    @Test
    void administratorSeesWhatEachUserUsesOfTheirQuota() throws Exception {
        String ann = user("ann");
        rest.send("PUT", "/v1/quotas/users/ann", json("{'topics':5,'putsPerSecond':1000}"));
        rest.send("PUT", "/v1/quotas/users/bob", json("{'topics':5,'putsPerSecond':1000}"));
        rest.as(ann);
        rest.createTopic("anns", 1);
        rest.post("/v1/topics/anns/partitions/0/messages", BodyPublishers.ofString("a message"));
        rest.asAdmin();

        JsonNode all = rest.get("/v1/quotas/users").json().get("users");

        assertThat(all.get(0).get("user").textValue()).isEqualTo("ann");
        assertThat(all.get(0).get("usedTopics").intValue()).isEqualTo(1);
        assertThat(all.get(0).get("usedPutsPerSecond").doubleValue()).isPositive();
        assertThat(all.get(0).has("usedGetsPerSecond")).as("has no bound").isFalse();
        assertThat(all.get(1).get("usedTopics").intValue()).isZero();
        assertThat(all.get(1).get("usedPutsPerSecond").doubleValue()).isZero();
    }

    @Test
    void orgAppliesAndIsApprovedOrRefused() throws Exception {
        String ann = user("ann", "CL1");
        rest.as(ann);
        String org = "/v1/quotas/orgs/CL1";
        assertThat(rest.send("POST", org + "/application", json("{'partitions':9,'reason':'growth'}"))
                        .status())
                .isEqualTo(204);
        assertThat(rest.send("POST", "/v1/quotas/orgs/CL2/application", json("{'partitions':9}"))
                        .status())
                .isEqualTo(403);
        assertThat(rest.get("/v1/quotas/orgs")
                        .json()
                        .get("waiting")
                        .get(0)
                        .get("reason")
                        .textValue())
                .isEqualTo("growth");
        assertThat(rest.send("POST", org + "/approval", json("{'partitions':9}"))
                        .status())
                .isEqualTo(403);
        rest.asAdmin();
        assertThat(rest.send("POST", org + "/approval", json("{'partitions':9}"))
                        .status())
                .isEqualTo(204);
        assertThat(rest.get("/v1/quotas/orgs")
                        .json()
                        .get("approved")
                        .get(0)
                        .get("partitions")
                        .intValue())
                .isEqualTo(9);
        assertThat(rest.send("DELETE", org, "").status()).isEqualTo(204);
        assertThat(rest.send("DELETE", org, "").status()).isEqualTo(404);
    }

    @Test
    void applicationIsRefusedAndQuotaTakenBackEachByItself() throws Exception {
        String org = "/v1/quotas/orgs/CL1";
        rest.send("POST", org + "/application", json("{'partitions':9}"));
        rest.send("POST", org + "/approval", json("{'partitions':9}"));
        rest.send("POST", org + "/application", json("{'partitions':12}"));

        assertThat(rest.send("DELETE", org + "/application", "").status()).isEqualTo(204);
        assertThat(rest.send("DELETE", org + "/application", "").status()).isEqualTo(404);
        assertThat(rest.get("/v1/quotas/orgs").json().get("approved")).hasSize(1);
        assertThat(rest.send("DELETE", org + "/approval", "").status()).isEqualTo(204);
        assertThat(rest.send("DELETE", org + "/approval", "").status()).isEqualTo(404);
    }

    @Test
    void grantToAnIdentifierThatNobodyHasIsWarnedOfAndHoldsOnceSomebodyHasIt() throws Exception {
        String bob = user("bob", "CL1");
        String keyOfBob = new String(Base64.getDecoder().decode(bob.substring("Basic ".length())), UTF_8).split(":")[0];
        String permissions = "/v1/topics/orders/permissions/";
        rest.asAdmin();

        assertThat(rest.send("PUT", permissions + "bob", json("{'put':true}")).status())
                .isEqualTo(204);
        assertThat(rest.send("PUT", permissions + "CL1", json("{'put':true}")).status())
                .isEqualTo(204);
        Answer toAKey = rest.send("PUT", permissions + keyOfBob, json("{'put':true}"));
        Answer toNobody = rest.send("PUT", permissions + "ann", json("{'put':true}"));
        Answer ofAGroup = rest.send("PUT", "/v1/topics/orders/groups/g/rights/ann", json("{'right':'read'}"));

        assertThat(List.of(toAKey, toNobody, ofAGroup)).allSatisfy(answer -> {
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            assertThat(answer.json().get("warnings").get(0).asText())
                    .contains(
                            "no user, team, or org", "a developer for whom a service key acts", "not the id of a key");
        });
        assertThat(toAKey.text())
                .as("which texts are ids of keys is not said")
                .isEqualTo(toNobody.text().replace("identifier ann ", "identifier " + keyOfBob + " "));
        rest.as(user("ann"));
        assertThat(put("given before").status()).isEqualTo(201);
    }

    @Test
    void permissionsAreGivenListedAndTaken() throws Exception {
        String ann = user("ann");
        String permissions = "/v1/topics/orders/permissions";
        rest.as(ann);
        assertThat(put("no").status()).isEqualTo(403);
        rest.asAdmin();
        assertThat(rest.send("PUT", permissions + "/ann", json("{'put':true}")).status())
                .isEqualTo(204);
        rest.as(ann);
        assertThat(put("yes").status()).isEqualTo(201);
        assertThat(rest.get(PUT).status()).isEqualTo(403);
        assertThat(rest.send("PUT", permissions + "/bob", json("{'put':true}")).status())
                .isEqualTo(403);
        rest.asAdmin();
        JsonNode all = rest.get(permissions).json().get("permissions");
        assertThat(all).hasSize(2);
        assertThat(all.findValuesAsText("grantee")).contains("ann");
        assertThat(rest.send("DELETE", permissions + "/ann", "").status()).isEqualTo(204);
        rest.as(ann);
        assertThat(put("no").status()).isEqualTo(403);
    }

    @Test
    void serversOwnBoundIsForEveryRequest() throws Exception {
        rest.close();
        rest = new RestFixture(data, Map.of("QUOTA_REQUESTSPERSECOND", "3"));
        long begun = System.nanoTime();
        int answered = 0;
        for (int refused = 0; refused < REFUSALS; ) {
            boolean isRefused = rest.get("/v1/topics").status() == 429;
            refused += isRefused ? 1 : 0;
            answered += isRefused ? 0 : 1;
        }

        assertThat(answered).isBetween(1, mostWithin(begun, 3));
    }
}
