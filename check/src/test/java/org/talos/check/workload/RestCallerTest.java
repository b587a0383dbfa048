// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Entry;
import org.talos.check.history.Outcome;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.common.name.Partitioner;

/** Tests the outcomes that a REST client of the checker records, against a server with scripted answers. */
@Timeout(30)
class RestCallerTest {
    private static final String PROBLEM = "{\"code\":\"partition-not-serving\",\"outcome\":\"%s\"}";
    private static final int PARTITIONS = 4;
    private static final TopicDescription TOPIC = new TopicDescription(
            "t", "me#t#1", "me", PARTITIONS, Duration.ofDays(1), Map.of(Partitioner.ATTRIBUTE, "murmur2"));

    /** Immutable. */
    private record Scripted(int status, String body) {}

    private final Deque<Scripted> answers = new ArrayDeque<>();
    private final List<String> keys = new ArrayList<>();
    private final List<String> paths = new ArrayList<>();
    private final List<JsonNode> bodies = new ArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] asked = exchange.getRequestBody().readAllBytes();
            bodies.add(new ObjectMapper().readTree(asked));
            paths.add(exchange.getRequestURI().getPath());
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
            Scripted next = answers.poll();
            if (next != null) { // else the connection ends without an answer
                byte[] body = next.body().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(next.status(), body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    private RestCalls calls() {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new RestCalls(List.of(new TalosEndpoint(uri, "key", "secret")), 0);
    }

    private RestCaller caller() {
        return new RestCaller(calls(), TOPIC, "t/");
    }

    private Answer send(int status, String body) {
        answers.add(new Scripted(status, body));
        return caller().prepare(1, List.of("a")).send();
    }

    @Test
    void aPutThatIsStoredHasItsOffsets() {
        answers.add(
                new Scripted(201, "{\"messages\":[{\"partition\":1,\"offset\":7},{\"partition\":1,\"offset\":8}]}"));

        Answer answer = caller().prepare(1, List.of("a", "b")).send();

        assertThat(answer).isEqualTo(Answer.ok(List.of(new Entry("t/1", 7, "a"), new Entry("t/1", 8, "b"))));
    }

    @Test
    void aRefusalThatSaysThatNothingHappenedIsBelieved() {
        Answer answer = send(503, String.format(Locale.ROOT, PROBLEM, "did-not-happen"));

        assertThat(answer.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(answer.note()).isEqualTo("503 partition-not-serving");
    }

    @Test
    void anErrorWhoseEffectIsUnknownIsUnknown() {
        assertThat(send(500, String.format(Locale.ROOT, PROBLEM, "unknown")).outcome())
                .isEqualTo(Outcome.INFO);
    }

    @Test
    void anErrorOfSomethingThatHappenedIsASuccessWithoutAnOffset() {
        Answer answer = send(500, String.format(Locale.ROOT, PROBLEM, "happened"));

        assertThat(answer.outcome()).isEqualTo(Outcome.OK);
        assertThat(answer.entries()).containsExactly(Entry.of("t/1", "a"));
    }

    @Test
    void anErrorThatSaysNothingIsUnknown() {
        assertThat(send(503, "").outcome()).isEqualTo(Outcome.INFO);
        assertThat(send(502, "<html>bad gateway</html>").outcome()).isEqualTo(Outcome.INFO);
    }

    @Test
    void aConnectionThatEndsWithoutAnAnswerIsUnknown() {
        assertThat(caller().prepare(1, List.of("a")).send().outcome()).isEqualTo(Outcome.INFO);
    }

    @Test
    void aServerThatIsNotThereHasDoneNothing() {
        RestCaller caller = caller();
        server.stop(0);

        assertThat(caller.prepare(1, List.of("a")).send().outcome()).isEqualTo(Outcome.FAIL);
    }

    @Test
    void aRepetitionHasTheSameIdentityAndMessages() {
        Caller.Put put = caller().prepare(2, List.of("a"));
        answers.add(new Scripted(503, ""));
        answers.add(new Scripted(201, "{\"messages\":[{\"partition\":2,\"offset\":0}]}"));

        assertThat(put.send().outcome()).isEqualTo(Outcome.INFO);
        assertThat(put.send().outcome()).isEqualTo(Outcome.OK);
        assertThat(keys).containsExactly(put.identity(), put.identity());
        assertThat(bodies.get(0)).isEqualTo(bodies.get(1));
    }

    @Test
    void anotherPutHasAnotherIdentity() {
        RestCaller caller = caller();

        assertThat(caller.prepare(0, List.of("a")).identity())
                .isNotEqualTo(caller.prepare(0, List.of("a")).identity())
                .isNotEqualTo(caller().prepare(0, List.of("a")).identity());
    }

    @Test
    void aBatchsKeysLeadToItsPartition() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            var unused = caller().prepare(partition, List.of("a")).send();
            String key = bodies.get(bodies.size() - 1)
                    .path("messages")
                    .path(0)
                    .path("key")
                    .asText();

            assertThat(Partitioner.MURMUR2.partition(key, PARTITIONS)).isEqualTo(partition);
        }
    }

    @Test
    void putThatNamesThePartitionHasNoKeys() {
        answers.add(new Scripted(201, "{\"messages\":[{\"partition\":9,\"offset\":0}]}"));

        Answer answer = RestCaller.byPartition(calls(), "t", "t/")
                .prepare(9, List.of("a"))
                .send();

        assertThat(answer.entries()).containsExactly(new Entry("t/9", 0, "a"));
        assertThat(paths).containsExactly("/v1/topics/t/partitions/9/messages");
        assertThat(bodies.get(0).path("messages").path(0).has("key")).isFalse();
    }

    @Test
    void whatIsReadIsComparedWithWhatWasSent() {
        answers.add(new Scripted(
                200,
                String.format(
                        Locale.ROOT,
                        "{\"messages\":[{\"offset\":4,\"value\":\"%s\"},{\"offset\":5,\"value\":\"b:cut\"}]}",
                        Values.body("a"))));

        assertThat(caller().read(1, 4).entries())
                .containsExactly(new Entry("t/1", 4, "a"), new Entry("t/1", 5, "damaged b"));
    }
}
