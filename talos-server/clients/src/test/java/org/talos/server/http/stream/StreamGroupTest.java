// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.server.testing.TestServer;

/** Members of consumer groups over streams: two of them, one that is cut, one that never commits. */
@Timeout(90)
class StreamGroupTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int LEASE = 2_000;
    private static final int LONG_LEASE = 30_000;
    private static final int PARTITIONS = 4;

    @TempDir
    private Path data;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(
                data, Map.of("SERVICE_MAXRESTWAIT", "1s", "SERVICE_MAXGROUPSPERUSER", "2", "SERVICE_MEMBERTTL", "30s"));
        server.admin().createTopic(NewTopic.of("orders", PARTITIONS));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private StreamClient open() throws Exception {
        return StreamClient.open(server.endpoint(), STREAM);
    }

    /** Puts a message into each partition. */
    private void putEverywhere(String value) throws Exception {
        try (StreamClient writer = open()) {
            for (int i = 0; i < PARTITIONS; i++) {
                writer.send(Sent.putMessage(0, i, i, "", value));
            }
            assertThat(writer.stored(PARTITIONS)).hasSize(PARTITIONS);
        }
    }

    private static String join(StreamClient client, String member, int lease) throws Exception {
        client.send(Sent.join("ship", member, lease));
        byte[] joined = client.next("JOINED").bytes();
        return new String(joined, 8, joined.length - 8, UTF_8);
    }

    /** The partitions of this number of messages of that name. */
    private static Set<Integer> partitions(StreamClient client, String name, int count) throws Exception {
        Set<Integer> partitions = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            partitions.add(client.next(name).integer(4));
        }
        return partitions;
    }

    private static void commit(StreamClient client, int partition, long offset) throws Exception {
        client.send(Sent.commit(partition, offset));
        Received committed = client.next("COMMITTED");
        assertThat(committed.integer(4)).isEqualTo(partition);
        assertThat(committed.number(8)).isEqualTo(offset);
    }

    /** This number of messages of blocks, by partition. */
    private static Map<Integer, List<String>> messages(StreamClient client, int count) throws Exception {
        Map<Integer, List<String>> messages = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Received block = client.next("BLOCK");
            messages.computeIfAbsent(block.integer(4), each -> new ArrayList<>())
                    .addAll(block.messages());
        }
        return messages;
    }

    @Test
    void memberGetsWhatIsNotCommittedAndGoesOnBehindIt() throws Exception {
        putEverywhere("a");
        try (StreamClient client = open()) {
            assertThat(join(client, "", LONG_LEASE)).contains("-stream-" + LONG_LEASE);
            assertThat(messages(client, PARTITIONS)).hasSize(PARTITIONS);
            commit(client, 0, 1);
            client.send(Sent.leave());
            assertThat(client.next("LEFT").bytes()).hasSize(8);
            client.send(Sent.commit(1, 1));
            assertThat(client.next("COMMIT_REFUSED").code()).isEqualTo("lock-exist");

            putEverywhere("b");
            join(client, "", LONG_LEASE);
            Map<Integer, List<String>> again = messages(client, 2 * PARTITIONS - 1);

            assertThat(again.get(0)).containsExactly("1 b");
            assertThat(again.get(1)).containsExactly("0 a", "1 b");
        }
    }

    @Test
    void secondMemberGetsItsHalfOnceTheFirstHasCommittedIt() throws Exception {
        putEverywhere("a");
        try (StreamClient first = open();
                StreamClient second = open()) {
            join(first, "", LEASE * 3);
            assertThat(messages(first, PARTITIONS)).hasSize(PARTITIONS);
            join(second, "", LEASE * 3);
            Set<Integer> revoking = partitions(first, "REVOKING", 2);

            for (int each : revoking) {
                first.send(Sent.commit(each, 1));
            }
            assertThat(partitions(first, "REVOKED", 2)).isEqualTo(revoking);
            Set<Integer> taken = new TreeSet<>();
            for (int i = 0; i < 2; i++) {
                Received assigned = second.next("ASSIGNED");
                taken.add(assigned.integer(4));
                assertThat(assigned.number(8))
                        .as("what the first has committed")
                        .isEqualTo(1);
            }

            assertThat(taken).isEqualTo(revoking);
            for (int each : revoking) {
                first.send(Sent.commit(each, 1));
                assertThat(first.next("COMMIT_REFUSED").code()).isEqualTo("lock-exist");
            }
            putEverywhere("b");
            assertThat(messages(second, 2).keySet()).isEqualTo(revoking);
        }
    }

    @Test
    void memberThatNeverCommitsLosesItsShareAfterALease() throws Exception {
        putEverywhere("a");
        try (StreamClient idle = open();
                StreamClient second = open()) {
            join(idle, "", LEASE);
            assertThat(messages(idle, PARTITIONS)).hasSize(PARTITIONS);
            join(second, "", LEASE);

            Set<Integer> revoked = partitions(idle, "REVOKED", 2);

            Map<Integer, List<String>> taken = messages(second, 2);
            assertThat(taken.keySet()).isEqualTo(revoked);
            assertThat(taken.values()).allMatch(each -> each.equals(List.of("0 a")));
            idle.send(Sent.commit(revoked.iterator().next(), 1));
            assertThat(idle.next("COMMIT_REFUSED").code()).isEqualTo("lock-exist");
        }
    }

    @Test
    void memberThatWasCutGoesOnUnderItsNameAtOnce() throws Exception {
        putEverywhere("a");
        String member;
        try (StreamClient cut = open()) {
            member = join(cut, "", LONG_LEASE);
            assertThat(messages(cut, PARTITIONS)).hasSize(PARTITIONS);
            commit(cut, 2, 1);
        }
        try (StreamClient again = open()) {
            assertThat(join(again, member, 0)).isEqualTo(member);

            Map<Integer, List<String>> messages = messages(again, PARTITIONS - 1);
            assertThat(messages.keySet()).containsExactlyInAnyOrder(0, 1, 3);
            commit(again, 0, 1);
        }
    }

    @Test
    void partitionsOfAMemberThatWasCutGoToAnotherWhenItsLeaseIsOver() throws Exception {
        putEverywhere("a");
        try (StreamClient cut = open()) {
            join(cut, "", LEASE);
            assertThat(messages(cut, PARTITIONS)).hasSize(PARTITIONS);
        }
        try (StreamClient second = open()) {
            join(second, "", LEASE);

            assertThat(messages(second, PARTITIONS)).hasSize(PARTITIONS);
        }
    }

    @Test
    void membersOverRestAndOverStreamsShareAGroup() throws Exception {
        try (StreamClient client = open()) {
            join(client, "", LEASE);
            assertThat(partitions(client, "ASSIGNED", PARTITIONS)).hasSize(PARTITIONS);

            String members = "/v1/topics/orders/groups/ship/members";
            JsonNode joined = post(members, "{}");
            assertThat(partitions(client, "REVOKED", 2)).hasSize(2);
            JsonNode fetched = post(members + "/" + joined.get("member").textValue() + "/fetch", "{\"wait\":1000}");

            assertThat(fetched.get("partitions")).hasSize(2);
        }
    }

    private JsonNode post(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve(path))
                .header("Authorization", StreamClient.basic(server.endpoint()))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return new ObjectMapper()
                .readTree(HttpClient.newHttpClient()
                        .send(request, BodyHandlers.ofString())
                        .body());
    }

    @Test
    void groupNeedsRightsAndRoom() throws Exception {
        NewCredential key = server.admin().addUser("ann", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.GET));
        TalosEndpoint ann = new TalosEndpoint(server.uri(), key.accessKey(), key.secretKey());
        try (StreamClient owner = open();
                StreamClient client = StreamClient.open(ann, STREAM)) {
            join(owner, "", LONG_LEASE);
            client.send(Sent.join("ship", "", 0));
            assertThat(client.next("LEFT").code()).as("a group of another's").isEqualTo("permission-denied-error");
            for (String group : List.of("a", "b")) {
                client.send(Sent.join(group, "", 0));
                client.next("JOINED");
                client.send(Sent.leave());
                client.next("LEFT");
            }
            client.send(Sent.join("c", "", 0));
            assertThat(client.next("LEFT").code()).as("a third group").isEqualTo("quota-exceeded");
            client.send(Sent.join("#", "", 0));
            assertThat(client.next("LEFT").code()).isEqualTo("invalid-name-error");
            client.send(Sent.join("a", "no-member", 0));
            assertThat(client.next("LEFT").code()).isEqualTo("consumer-not-exist");
            client.send(Sent.join("a", "", 10));
            assertThat(client.next("LEFT").code()).isEqualTo("bad-request");

            client.send(Sent.join("a", "", 0));
            client.next("JOINED");
            server.admin().revoke("orders", Grantee.of("ann"));
            client.send(Sent.commit(0, 0));
            assertThat(client.next(each -> each.name().equals("COMMIT_REFUSED")
                                    || each.name().equals("LEFT"))
                            .code())
                    .isIn("permission-denied-error", "lock-exist");
        }
    }

    @Test
    void memberReadsAndCommitsInJson() throws Exception {
        putEverywhere("a");
        try (JsonStream client = JsonStream.open(server.endpoint(), STREAM)) {
            client.send("{'type':'join','group':'ship','lease':30000}");
            assertThat(client.next("joined").get("member").textValue()).isNotEmpty();
            assertThat(client.next("assigned").get("offset").intValue()).isZero();
            JsonNode message = client.next("message");
            int partition = message.get("partition").intValue();
            client.send("{'type':'commit','partition':" + partition + ",'offset':1}");
            assertThat(client.next("committed").get("partition").intValue()).isEqualTo(partition);
            client.send("{'type':'commit','partition':" + partition + ",'offset':0}");
            assertThat(client.next("commitRefused").get("problem").get("code").textValue())
                    .isEqualTo("lock-value-not-expected");

            client.send("{'type':'leave'}");
            assertThat(client.next("left").has("problem")).isFalse();
        }
    }

    @Test
    void subscriptionBesideAGroupEndsTheStream() throws Exception {
        try (StreamClient client = open()) {
            join(client, "", 0);
            client.send(Sent.subscribe(0, 0));

            assertThat(client.closeCode()).isEqualTo(1008);
        }
    }
}
