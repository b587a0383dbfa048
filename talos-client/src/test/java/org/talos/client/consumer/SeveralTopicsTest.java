// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Answer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.client.TalosClient;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsLockWorkerResponse;
import org.talos.thrift.TopicsQueryWorkerResponse;
import org.talos.thrift.TopicsRenewResponse;

/** A member that reads two topics, and has lost its right to the first of them. */
@Timeout(60)
class SeveralTopicsTest {
    private static final String DENIED = "bills";
    private static final String READ = "orders";

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private ScriptedServer server;
    private volatile boolean denies;
    private volatile int partitions = 1; // of the topic that may be read
    private volatile String me = "";

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.otherwise(this::answer);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private TalosConsumer join() throws Exception {
        TalosConsumer consumer = TalosConsumer.builder(
                        new TalosClient(ClientConfig.of(server.uri(), "AKTEST", "a-secret")
                                .withoutDirectRouting()),
                        "shop")
                .topics(DENIED, READ)
                .config(ConsumerConfig.builder()
                        .balanceInterval(Duration.ofMillis(50))
                        .renewInterval(Duration.ofMillis(200))
                        .topicCheckInterval(Duration.ofMillis(100))
                        .closeTimeout(Duration.ofSeconds(20))
                        .build())
                .processors(partition -> (messages, checkpoint) -> {})
                .build()
                .start();
        denies = true;
        me = consumer.member();
        return consumer;
    }

    @Test
    void partitionsOfTheOtherTopicAreTakenAlsoNewOnes() throws Exception {
        try (TalosConsumer consumer = join()) {
            await().until(() -> heard.contains("lock orders 0"));
            partitions = 2;
            await().until(() -> heard.contains("lock orders 1"));
            assertThat(consumer.ended()).isNotDone();
        }
    }

    @Test
    void memberThatIsClosedLeavesTheOtherTopic() throws Exception {
        join().close();

        await().until(() -> heard.contains("leave orders"));
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Asked asked = new Asked("POST", uri, Map.of(), body);
        answer(uri.substring(uri.indexOf("type=") + 5), asked).to(exchange, body);
    }

    private Answer answer(String method, Asked asked) {
        return switch (method) {
            case "getDescribeInfo" ->
                described(asked.request(new GetDescribeInfoRequest()).getTopicName());
            case "lockWorkerForTopics" -> result(new TopicsLockWorkerResponse(true));
            case "queryWorkerForTopics" -> result(new TopicsQueryWorkerResponse(Map.of(me, List.of())));
            case "renewForTopics" -> result(new TopicsRenewResponse(true, List.of()));
            case "lockPartition" ->
                locked(asked.request(new LockPartitionRequest()).getConsumeUnit());
            case "leaveGroup" -> left(asked.request(new LeaveGroupRequest()).getTopicTalosResourceName());
            case "unlockPartition" -> done();
            default -> error(ErrorCode.PARTITION_NOT_SERVING, "nothing is to be read here");
        };
    }

    private Answer described(String topic) {
        return denies && topic.equals(DENIED)
                ? denied()
                : result(new GetDescribeInfoResponse(
                        new TopicTalosResourceName("me#" + topic + "#1"), topic.equals(DENIED) ? 8 : partitions));
    }

    private Answer locked(ConsumeUnit unit) {
        String topic = topic(unit.getTopicTalosResourceName());
        if (topic.equals(DENIED)) {
            return denied();
        }
        heard.add("lock " + topic + " " + unit.getPartitionIdList().get(0));
        return result(new LockPartitionResponse(unit.getPartitionIdList(), List.of()));
    }

    private Answer left(TopicTalosResourceName name) {
        heard.add("leave " + topic(name));
        return topic(name).equals(DENIED) ? denied() : done();
    }

    private static Answer denied() {
        return error(ErrorCode.PERMISSION_DENIED_ERROR, "permission GET_MESSAGE is needed");
    }

    private static String topic(TopicTalosResourceName name) {
        return name.getTopicTalosResourceName().split("#")[1];
    }
}
