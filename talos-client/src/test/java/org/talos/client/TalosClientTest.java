// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;
import static org.talos.client.ScriptedServer.status;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicChange;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.SimpleProducer;
import org.talos.client.producer.TalosProducer;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.ChangeTopicAttributeRequest;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicState;
import org.talos.thrift.TopicStatus;
import org.talos.thrift.TopicTalosResourceName;

/** Routing and repetition of calls. */
@Timeout(60)
class TalosClientTest {
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 4, Duration.ofDays(1));

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private ScriptedServer server;
    private ScriptedServer other;
    private Nobody nobody;

    @BeforeEach
    void start() throws IOException {
        nobody = new Nobody();
        server = new ScriptedServer();
        other = new ScriptedServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        other.close();
        nobody.close();
    }

    private ClientConfig config(URI... endpoints) {
        return ClientConfig.of(endpoints[0], "AKTEST", "a-secret")
                .withEndpoints(List.of(endpoints))
                .withListener(new ClientListener() {
                    @Override
                    public void called(String call, URI at, Duration took, Optional<TalosClientException> failure) {
                        heard.add(call + failure.map(each -> " " + each.code()).orElse(""));
                    }

                    @Override
                    public void repeating(String call, TalosClientException failure, Duration pause) {
                        heard.add("again " + call);
                    }
                });
    }

    private SimpleProducer producer(ClientConfig config) {
        return new SimpleProducer(new TalosClient(config), TOPIC, Compression.NONE);
    }

    private static List<OutgoingMessage> message() {
        return List.of(OutgoingMessage.of("a"));
    }

    @Test
    void putIsRepeatedUnderItsIdentityUntilItIsStored() throws Exception {
        server.then(error(ErrorCode.PARTITION_NOT_SERVING, "partition not serving error"))
                .then(error(ErrorCode.HDFS_OPERATION_FAILED, "the disk"))
                .then(status(503, Map.of(), "too much"))
                .then(result(new PutMessageResponse("x")));

        producer(config(server.uri())).put(0, message());

        List<String> ids = new ArrayList<>();
        server.asked()
                .forEach(each -> ids.add(each.request(new PutMessageRequest()).getSequenceId()));
        assertThat(ids).hasSize(4).allMatch(ids.get(0)::equals);
        assertThat(heard.stream().filter("again putMessage"::equals)).hasSize(3);
    }

    @Test
    void changeThatMayHaveHappenedIsNotRepeated() {
        server.then(error(ErrorCode.HBASE_OPERATION_FAILED, "the row")).then(done());

        var failure = catchThrowableOfType(
                UnknownOutcomeException.class,
                () -> new TalosAdmin(new TalosClient(config(server.uri()))).removeUser("ann"));

        assertThat(failure.code()).isEqualTo("HBASE_OPERATION_FAILED");
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void readWithoutAnAnswerDidNotHappen() {
        server.otherwise((exchange, body) -> exchange.close());
        TalosClient client = new TalosClient(config(server.uri())).once();

        for (ThrowingCallable read : List.<ThrowingCallable>of(
                () -> new TalosAdmin(client).listTopics(),
                () -> new TalosAdmin(client).deleteTopic("orders"), // fails at its look-up
                () -> new SimpleConsumer(client, TOPIC, 0).fetch(0, 1))) {
            assertThatThrownBy(read)
                    .isInstanceOfSatisfying(
                            RetriableException.class, e -> assertThat(e.code()).isEqualTo("CONNECTION"));
        }
    }

    @Test
    void changeThatSurelyDidNotHappenIsRepeated() throws Exception {
        server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "slower")).then(done());

        new TalosAdmin(new TalosClient(config(server.uri()))).removeUser("ann");

        assertThat(server.asked()).hasSize(2);
    }

    @Test
    void finalRefusalIsNotRepeated() {
        server.then(error(ErrorCode.TOPIC_NOT_EXIST, "no topic"));

        assertThatThrownBy(() -> producer(config(server.uri())).put(0, message()))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("no topic");
    }

    /** The last answer says that this try did nothing, not that the tries before did nothing. */
    @Test
    void refusalAfterATryOfUnknownEffectIsOfUnknownEffect() {
        server.then(error(ErrorCode.HDFS_OPERATION_FAILED, "the disk")).then(error(ErrorCode.TOPIC_NOT_EXIST, "gone"));

        assertThatThrownBy(() -> producer(config(server.uri())).put(0, message()))
                .isInstanceOf(UnknownOutcomeException.class);
    }

    @Test
    void repetitionsEndWithTheDeadline() {
        for (int i = 0; i < 50; i++) {
            server.then(error(ErrorCode.PARTITION_NOT_SERVING, "moving"));
        }

        assertThatThrownBy(() -> producer(config(server.uri()).withDeadline(Duration.ofSeconds(3)))
                        .put(0, message()))
                .isInstanceOf(RetriableException.class);
        assertThat(server.asked().size()).isBetween(2, 12);
    }

    @Test
    void retryAfterOfTheServerIsRespected() throws Exception {
        server.then(status(429, Map.of("Retry-After", "1"), "slower")).then(result(new PutMessageResponse("x")));
        long start = System.nanoTime();

        producer(config(server.uri())).put(0, message());

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void nextEndpointIsUsedWhenOneIsUnreachable() throws Exception {
        server.then(result(new PutMessageResponse("x"))).then(result(new PutMessageResponse("x")));
        SimpleProducer producer = producer(config(nobody.uri(), server.uri()));

        producer.put(0, message());
        heard.clear();
        producer.put(0, message());

        assertThat(server.asked()).hasSize(2);
        assertThat(heard)
                .as("the one that is gone is not asked again")
                .contains("putMessage")
                .doesNotContain("again putMessage");
    }

    private static GetScheduleInfoResponse schedule(URI to) {
        return new GetScheduleInfoResponse(Map.of(
                new TopicAndPartition("orders", new TopicTalosResourceName("me#orders#1"), 0),
                to.getHost() + ":" + to.getPort()));
    }

    @Test
    void putsGoDirectlyToThePartitionsOwnerOnceItIsKnown() throws Exception {
        server.schedule(schedule(other.uri()));
        SimpleProducer producer = producer(config(server.uri()));
        for (int i = 0; i < 3; i++) {
            server.then(result(new PutMessageResponse("x")));
        }
        other.then(result(new PutMessageResponse("x")));
        producer.put(0, message());
        await().until(() -> heard.contains("getScheduleInfo"));

        await().until(() -> {
            producer.put(0, message());
            return !other.asked().isEmpty();
        });
        producer.put(1, message());

        assertThat(other.asked()).hasSize(1);
        assertThat(server.asked().size()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void endpointIsUsedWhenThePartitionsOwnerIsUnreachable() throws Exception {
        server.schedule(schedule(nobody.uri()));
        SimpleProducer producer = producer(config(server.uri()));
        for (int i = 0; i < 20; i++) {
            server.then(result(new PutMessageResponse("x")));
        }
        producer.put(0, message());

        await().until(() -> {
            producer.put(0, message());
            return heard.contains("putMessage CONNECTION");
        });

        assertThat(heard).contains("again putMessage");
    }

    /** A server that is cut off from its cluster answers so. */
    @Test
    void endpointIsUsedWhenTheRoutedServerDoesNotServeThePartition() throws Exception {
        server.schedule(schedule(other.uri()));
        SimpleProducer producer = producer(config(server.uri()));
        for (int i = 0; i < 20; i++) {
            server.then(result(new PutMessageResponse("x")));
            other.then(error(ErrorCode.PARTITION_NOT_SERVING, "cut off"));
        }
        producer.put(0, message());

        await().until(() -> {
            producer.put(0, message());
            return heard.contains("putMessage PARTITION_NOT_SERVING");
        });

        assertThat(other.asked()).hasSize(1);
    }

    @Test
    void nextEndpointIsUsedWhenOneDoesNotServeThePartition() throws Exception {
        server.then(error(ErrorCode.PARTITION_NOT_SERVING, "cut off"));
        other.then(result(new PutMessageResponse("x"))).then(result(new PutMessageResponse("x")));
        SimpleProducer producer = producer(config(server.uri(), other.uri()).withoutDirectRouting());

        producer.put(0, message());
        producer.put(0, message());

        assertThat(server.asked()).hasSize(1);
        assertThat(other.asked()).hasSize(2);
    }

    @Test
    void withoutDirectRoutingNoRoutesAreLookedUp() throws Exception {
        server.then(result(new PutMessageResponse("x")));

        producer(config(server.uri()).withoutDirectRouting()).put(0, message());

        assertThat(heard).containsExactly("putMessage");
    }

    @Test
    void getIsRepeatedWhenItsAnswerIsCutOff() throws Exception {
        GetMessageResponse empty = new GetMessageResponse();
        empty.setMessageBlocks(List.of());
        empty.setMessageNumber(0);
        empty.setSequenceId("x");
        server.then((exchange, body) -> {
                    exchange.sendResponseHeaders(200, 1_000);
                    exchange.getResponseBody().write(new byte[10]);
                    exchange.getResponseBody().flush();
                    throw new IOException("the connection ends here");
                })
                .then(result(empty));

        assertThat(new SimpleConsumer(new TalosClient(config(server.uri())), TOPIC, 0).fetch(0, 10))
                .isEmpty();
        assertThat(heard).contains("getMessage CONNECTION");
    }

    @Test
    void clockThatIsTwentyMinutesOffIsCorrectedFromTheAnswer() throws Exception {
        String serverTime = Long.toString(System.currentTimeMillis() / 1_000 + 1_200);
        server.then(status(412, Map.of("X-Xiaomi-Timestamp", serverTime), "clock"))
                .then(result(new PutMessageResponse("x")));

        producer(config(server.uri())).put(0, message());

        assertThat(Long.parseLong(server.asked().get(1).header("X-Xiaomi-Timestamp")))
                .isCloseTo(Long.parseLong(serverTime), org.assertj.core.data.Offset.offset(5L));
    }

    @Test
    void invalidConfigurationsAreRefused() {
        assertThatThrownBy(() -> ClientConfig.of(URI.create("127.0.0.1:8080"), "AK", "s"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClientConfig.of(URI.create("ftp://host"), "AK", "s"))
                .hasMessageContaining("expected: http or https");
        assertThat(config(server.uri()).toString()).doesNotContain("a-secret");
    }

    /** No answer until the gate opens. */
    private static ScriptedServer.Answer behind(CountDownLatch gate) {
        return (exchange, body) -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    /** A renewal that hangs at one server for the whole timeout would leave no time to ask another. */
    @Test
    void callThatIsWorthNothingLaterEndsWithItsTime() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.otherwise(behind(gate));
        RemoteCall<?> call = RemoteCall.without(
                Service.TOPIC,
                "deleteTopic",
                new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1")),
                RemoteCall.Effect.ONCE);

        assertThatThrownBy(() -> new TalosClient(config(server.uri()).withTimeout(Duration.ofSeconds(50)))
                        .calls()
                        .send(call, Duration.ofMillis(300))
                        .get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(CallFailure.class);
        gate.countDown();
    }

    @Test
    void grantOfNothingIsRefused() {
        TalosAdmin admin = new TalosAdmin(new TalosClient(config(server.uri())));

        assertThatThrownBy(() -> admin.grant("orders", Grantee.of("ann"), Set.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void changeSendsOnlyWhatIsSet() throws Exception {
        server.then(result(describedTopic())).then(done());
        TalosAdmin admin = new TalosAdmin(new TalosClient(config(server.uri())));

        admin.alterTopic("orders", TopicChange.NONE.withRetention(Duration.ofHours(2)));

        TopicAttribute sent =
                server.asked().get(1).request(new ChangeTopicAttributeRequest()).getTopicAttribute();
        assertThat(sent.getMessageRetentionSecs()).isEqualTo(7_200);
        assertThat(sent.isSetPartitionNumber()).isFalse();
        assertThat(sent.isSetAttributes()).isFalse();
        assertThatThrownBy(() -> admin.alterTopic("orders", TopicChange.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static DescribeTopicResponse describedTopic() {
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(4);
        attribute.setMessageRetentionSecs(86_400);
        attribute.setAttributes(Map.of("some", "thing"));
        return new DescribeTopicResponse(
                new TopicInfo("orders", new TopicTalosResourceName("me#orders#1"), "me"),
                attribute,
                new TopicState(0, TopicStatus.ACTIVE, 0, 0, List.of()),
                new BaseQuota(1),
                Map.of());
    }

    /** A read without an answer said that it may have happened. */
    @Test
    void readHasNoOutcomeWhateverBecomesOfIt() {
        TalosAdmin admin = new TalosAdmin(new TalosClient(config(server.uri()).withDeadline(Duration.ZERO)));

        server.then(status(500, Map.of(), "lost"));
        assertThatThrownBy(() -> admin.describeTopic("orders")).isInstanceOf(RetriableException.class);
        server.then(error(ErrorCode.UNEXPECTED_ERROR, "who knows"));
        assertThatThrownBy(() -> admin.describeTopic("orders")).isInstanceOf(FatalException.class);
        server.then(status(500, Map.of(), "lost"));
        assertThatThrownBy(() -> new SimpleConsumer(
                                new TalosClient(config(server.uri()).withDeadline(Duration.ZERO)), TOPIC, 0)
                        .fetch(0, 1))
                .isInstanceOf(RetriableException.class);
        server.then(status(500, Map.of(), "lost"));
        assertThatThrownBy(() -> admin.removeUser("ann")).isInstanceOf(UnknownOutcomeException.class);
    }

    @Test
    void readThatIsInterruptedHasNoOutcomeEither() {
        server.otherwise(behind(new CountDownLatch(1))); // an answer might come before the interrupt is seen
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> new TalosAdmin(new TalosClient(config(server.uri()))).describeTopic("orders"))
                .isInstanceOf(RetriableException.class);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void clientThatMakesCallsOnceSharesAllButTheRepetitions() throws Exception {
        TalosClient client = new TalosClient(config(server.uri()));
        server.then(error(ErrorCode.PARTITION_NOT_SERVING, "not now"));

        assertThatThrownBy(() -> new TalosAdmin(client.once()).describeTopic("orders"))
                .isInstanceOf(RetriableException.class);

        assertThat(server.asked()).hasSize(1);
        client.once().close();
        assertThatThrownBy(() -> new TalosAdmin(client).describeTopic("orders")).hasMessageContaining("CLOSED");
    }

    @Test
    void closingTheClientEndsCallsUnderWayAndClosesWhatIsOpen() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        server.then(result(ScriptedServer.attributed(1, Map.of()))).otherwise((exchange, body) -> {
            asked.countDown();
            behind(gate).to(exchange, body);
        });
        TalosClient client = new TalosClient(config(server.uri()));
        TalosProducer producer = new TalosProducer(
                client,
                "orders",
                ProducerConfig.builder()
                        .linger(Duration.ZERO)
                        .closeTimeout(Duration.ZERO)
                        .build());
        CompletableFuture<?> sent = producer.send(OutgoingMessage.of("a"));
        asked.await();
        CompletableFuture<?> read = CompletableFuture.runAsync(() -> {
            try {
                new TalosAdmin(client).describeTopic("orders");
            } catch (TalosClientException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> server.asked().size() == 3);

        client.close();
        client.close();

        assertThatThrownBy(() -> sent.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(UnknownOutcomeException.class);
        assertThatThrownBy(() -> read.get(5, TimeUnit.SECONDS)).hasRootCauseInstanceOf(CallFailure.class);
        assertThatThrownBy(() -> producer.send(OutgoingMessage.of("b")).get()).hasMessageContaining("CLOSED");
        assertThatThrownBy(() -> new TalosProducer(client, "orders")).hasMessageContaining("CLOSED");
        gate.countDown();
    }

    @Test
    void keyIsReadFromTheFileThatAServerWrites(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("admin.credentials"), "accessKey=AK1\nsecretKey=s\n");

        ClientConfig config = ClientConfig.of(server.uri(), file);

        assertThat(config.accessKey()).isEqualTo("AK1");
        assertThat(config.secretKey()).isEqualTo("s");
    }
}
