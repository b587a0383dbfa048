// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.TalosClient;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Blocks that an SDK has put and nobody can read, as readers over REST meet them. */
@Timeout(60)
class RestUnreadableTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;
    private static TalosClient client;

    private final String topic = "orders-" + TOPICS.incrementAndGet();
    private final String partition = "/v1/topics/" + topic + "/partitions/0";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
        client = new TalosClient(rest.server.endpoint());
    }

    @BeforeEach
    void createTopic() throws Exception {
        rest.createTopic(topic, 2);
    }

    @AfterAll
    static void close() {
        client.close();
        rest.close();
    }

    /** Blocks that pass the check of a put's claims, and that nobody can read. */
    enum Poison {
        /** Its messages are framed well, and hold something else. */
        NO_STRUCTS {
            @Override
            MessageBlock block(int messages) {
                ByteBuffer bytes = ByteBuffer.allocate(messages * 13);
                for (int i = 0; i < messages; i++) {
                    bytes.putInt(0x56000300).putInt(5).put(new byte[] {-1, -1, -1, -1, 0});
                }
                return new MessageBlock(0, messages, MessageCompressionType.NONE, bytes.flip());
            }
        },

        /** Gzip that is broken between a sound head and a sound end. */
        BROKEN_GZIP {
            @Override
            MessageBlock block(int messages) {
                MessageBlock block = sound(messages, 10_000);
                byte[] bytes = block.getMessageBlock();
                for (int at = 10; at < bytes.length - 8; at++) {
                    bytes[at] = -1;
                }
                return block.setMessageBlock(ByteBuffer.wrap(bytes));
            }
        },

        /** Gzip of more than anybody is to hold in memory. */
        BOMB {
            @Override
            MessageBlock block(int messages) {
                return sound(messages, (80 << 20) / messages);
            }
        };

        abstract MessageBlock block(int messages);

        private static MessageBlock sound(int messages, int bytes) {
            List<Message> all = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                all.add(new Message(ByteBuffer.allocate(bytes)));
            }
            return MessageBlocks.write(all, MessageCompressionType.GZIP, 1);
        }
    }

    private void put(int number, MessageBlock block) throws Exception {
        TopicDescription described = rest.server.admin().describeTopic(topic);
        PartitionRef partition = new PartitionRef(described.name(), described.resourceName(), number);
        PutMessageRequest request = new PutMessageRequest(
                partition.toThrift(), List.of(block), block.getMessageNumber(), "RestUnreadableTest#1");
        RemoteCall<PutMessageResponse> call = new RemoteCall<>(
                Service.MESSAGE,
                "putMessage",
                deadlineMillis -> request,
                PutMessageResponse::new,
                RemoteCall.Effect.ONCE,
                Optional.of(partition),
                PutMessageResponse::isIsTransfer);
        assertThat(client.calls().result(call)).isNotNull();
    }

    private void put(int number, String... values) throws Exception {
        for (String value : values) {
            Answer stored = rest.send(
                    "POST",
                    "/v1/topics/" + topic + "/partitions/" + number + "/messages",
                    json("{'messages':[{'value':'" + value + "'}]}"));
            assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        }
    }

    private static List<String> values(JsonNode read) {
        List<String> values = new ArrayList<>();
        read.get("messages").forEach(each -> values.add(each.get("value").textValue()));
        return values;
    }

    private static void assertNames(JsonNode unreadable, int partition, long first, long last) {
        assertThat(unreadable.path("partition").intValue()).isEqualTo(partition);
        assertThat(unreadable.path("first").longValue()).isEqualTo(first);
        assertThat(unreadable.path("last").longValue()).isEqualTo(last);
        assertThat(unreadable.path("skip").longValue()).isEqualTo(last + 1);
        assertThat(unreadable.path("detail").textValue()).contains(first + " to " + last);
    }

    private static void assertProblem(Answer answer, int partition, long first, long last) throws Exception {
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.json().get("code").textValue()).isEqualTo("unreadable-block");
        assertThat(answer.json().get("retryable").booleanValue()).isFalse();
        assertNames(answer.json(), partition, first, last);
    }

    @ParameterizedTest
    @EnumSource(Poison.class)
    void readerGetsWhatIsBeforeTheBlockThenItsOffsetsAndGoesOnBehindIt(Poison poison) throws Exception {
        put(0, "a", "b");
        put(0, poison.block(3));
        put(0, "c");

        JsonNode before = rest.get(partition + "/messages").json();
        assertThat(values(before)).containsExactly("a", "b");
        assertThat(before.get("next").longValue()).isEqualTo(2);
        assertProblem(rest.get(partition + "/messages?from=2"), 0, 2, 4);
        assertProblem(rest.get(partition + "/messages/3"), 0, 2, 4);
        assertThat(values(rest.get(partition + "/messages?from=5").json())).containsExactly("c");
    }

    @Test
    void searchPassesTheBlockOver() throws Exception {
        put(0, "before");
        put(0, Poison.BROKEN_GZIP.block(2));
        put(0, "behind");

        List<String> lines = rest.get("/v1/topics/" + topic + "/search")
                .text()
                .lines()
                .filter(line -> !line.startsWith("{\"progress\""))
                .toList();

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains("before");
        assertThat(lines.get(1)).contains("behind");
        assertThat(RestFixture.JSON.readTree(lines.get(2)).at("/end/skipped").intValue())
                .isEqualTo(1);
    }

    @Test
    void searchBackwardSkipsTheBlockToo() throws Exception {
        put(0, "before");
        put(0, Poison.BROKEN_GZIP.block(2));
        put(0, "behind");

        List<String> lines = rest.get("/v1/topics/" + topic + "/search?direction=backward")
                .text()
                .lines()
                .filter(line -> !line.startsWith("{\"progress\""))
                .toList();

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains("behind");
        assertThat(lines.get(1)).contains("before");
        assertThat(RestFixture.JSON.readTree(lines.get(2)).at("/end/skipped").intValue())
                .isEqualTo(1);
    }

    @Test
    void linesEndBeforeTheBlock() throws Exception {
        put(0, "a");
        put(0, Poison.BROKEN_GZIP.block(2));

        Answer lines = rest.get(partition + "/messages", "Accept", "application/x-ndjson");

        assertThat(lines.text().lines()).hasSize(1);
        assertThat(lines.header("Talos-Next-Offset")).isEqualTo("1");
        assertProblem(rest.get(partition + "/messages?from=1", "Accept", "application/x-ndjson"), 0, 1, 2);
    }

    @Test
    void liveTailEndsWithTheProblemAndIsNotBegunAtTheBlock() throws Exception {
        put(0, "a");
        put(0, Poison.BROKEN_GZIP.block(2));

        String events = HttpClient.newHttpClient()
                .send(rest.request(partition + "/events?from=0").build(), BodyHandlers.ofString())
                .body();

        assertThat(events).contains("id: 0\n");
        String problem = events.substring(events.indexOf("event: problem\ndata: ") + 21);
        assertNames(RestFixture.JSON.readTree(problem), 0, 1, 2);
        assertProblem(rest.get(partition + "/events?from=1"), 0, 1, 2);
    }

    @Test
    void memberOfAGroupReadsItsOtherPartitionsAndMaySkipTheBlock() throws Exception {
        put(0, Poison.BROKEN_GZIP.block(2));
        put(0, "behind");
        put(1, "a");
        String members = "/v1/topics/" + topic + "/groups/g/members";
        String member = rest.send("POST", members, "{}").json().get("member").textValue();

        JsonNode fetched = fetch(members, member, "{}");

        assertThat(values(fetched)).containsExactly("a");
        assertThat(fetched.get("next")).isEqualTo(RestFixture.JSON.readTree(json("[{'partition':1,'offset':1}]")));
        assertThat(fetched.get("unreadable")).hasSize(1);
        assertNames(fetched.get("unreadable").get(0), 0, 0, 1);
        JsonNode behind =
                fetch(members, member, json("{'commit':[{'partition':1,'offset':1},{'partition':0,'offset':2}]}"));
        assertThat(values(behind)).containsExactly("behind");
        assertThat(behind.get("unreadable")).isEmpty();
    }

    private static JsonNode fetch(String members, String member, String body) throws Exception {
        Answer fetched = rest.send("POST", members + "/" + member + "/fetch", body);
        assertThat(fetched.status()).as(fetched.text()).isEqualTo(200);
        return fetched.json();
    }
}
