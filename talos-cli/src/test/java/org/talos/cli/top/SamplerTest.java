// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Answer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.DescribeGroupRequest;
import org.talos.thrift.DescribeGroupResponse;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.DescribedPartition;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListTopicsInfoResponse;
import org.talos.thrift.PartitionState;
import org.talos.thrift.QueryConsumerGroupRequest;
import org.talos.thrift.QueryConsumerGroupResponse;
import org.talos.thrift.Topic;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicState;
import org.talos.thrift.TopicStatus;
import org.talos.thrift.TopicTalosResourceName;

/** Tests the calls of the sampler, and its figures where servers refuse them. */
@Timeout(30)
class SamplerTest {
    private static final int TOPICS = 3;
    private static final int GROUPS = 3;

    @AutoClose
    private final ScriptedServer server;

    private final Map<String, SortedSet<String>> groups = new TreeMap<>();
    private final Map<String, ErrorCode> refused = new HashMap<>(); // by the name of a topic, or of a group

    SamplerTest() throws IOException {
        server = new ScriptedServer().otherwise(this::answer);
        groups.put("logs", new TreeSet<>());
        groups.put("orders", new TreeSet<>(Set.of("billing", "shipping")));
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Asked asked = new Asked("POST", uri, Map.of(), body);
        String call = uri.substring(uri.indexOf("type=") + "type=".length());
        Answer answer = switch (call) {
            case "listTopicsInfo" ->
                result(new ListTopicsInfoResponse(groups.keySet().stream()
                        .map(topic -> new Topic(info(topic), attribute(), state()))
                        .toList()));
            case "describeTopic" ->
                described(asked.request(new DescribeTopicRequest()).getTopicName());
            case "queryConsumerGroup" ->
                result(new QueryConsumerGroupResponse(groups.get(asked.request(new QueryConsumerGroupRequest())
                        .getTopicTalosResourceName()
                        .getTopicTalosResourceName())));
            default -> group(asked.request(new DescribeGroupRequest()).getConsumerGroup());
        };
        answer.to(exchange, body);
    }

    private static TopicInfo info(String topic) {
        return new TopicInfo(topic, new TopicTalosResourceName(topic), "me");
    }

    private static TopicAttribute attribute() {
        return new TopicAttribute().setPartitionNumber(2).setMessageRetentionSecs(3_600);
    }

    private static TopicState state() {
        return new TopicState(
                0,
                TopicStatus.ACTIVE,
                0,
                0,
                List.of(new PartitionState(0, 5, 9, 5, 500), new PartitionState(1, 0, -1, 0, 0)));
    }

    private Answer described(String topic) {
        return refused.containsKey(topic)
                ? error(refused.get(topic), "refused")
                : result(new DescribeTopicResponse(
                        info(topic), attribute(), state(), new BaseQuota(Long.MAX_VALUE), Map.of()));
    }

    private Answer group(String name) {
        return refused.containsKey(name)
                ? error(refused.get(name), "refused")
                : result(new DescribeGroupResponse(
                        List.of(),
                        List.of(
                                new DescribedPartition(0).setCommittedOffset(7).setLag(3),
                                new DescribedPartition(1).setLag(0))));
    }

    private Sampler sampler(Predicate<String> wanted) {
        List<URI> servers = List.of(server.uri(), URI.create("http://127.0.0.1:1")); // the second one is missing
        ClientConfig config = ClientConfig.of(server.uri(), "AK", "secret").withEndpoints(servers);
        return new Sampler(
                new TalosClient(config), servers.size(), wanted, () -> Instant.EPOCH, () -> 0, TOPICS, GROUPS);
    }

    private Sample sample() throws TalosClientException {
        return sampler(topic -> true).take();
    }

    @Test
    void topicsAndTheirGroupsAreSummedOverPartitions() throws Exception {
        Sample sample = sample();

        assertThat(sample.topics()).extracting(Sample.Topic::name).containsExactly("logs", "orders");
        assertThat(sample.topics()).allMatch(topic -> topic.partitions() == 2 && topic.allGroups());
        assertThat(sample.topics().get(0).kept()).contains(new Sample.Kept(10, 5, 500));
        assertThat(sample.groups())
                .containsExactly(
                        new Sample.Group("orders", "billing", 0, 7, OptionalLong.of(3)),
                        new Sample.Group("orders", "shipping", 0, 7, OptionalLong.of(3)));
    }

    @Test
    void topicThatIsNotWantedIsNotAskedFor() throws Exception {
        Sample sample = sampler("logs"::equals).take();

        assertThat(sample.topicsInAll()).isEqualTo(1);
        assertThat(sample.topics()).extracting(Sample.Topic::name).containsExactly("logs");
        assertThat(server.asked()).hasSize(4);
    }

    /** The next server is asked then, which does not answer either. */
    @Test
    void topicOfWhichAPartitionHasNoServerHidesNoOther() throws Exception {
        refused.put("logs", ErrorCode.PARTITION_NOT_SERVING);

        Sample sample = sample();

        assertThat(sample.topics()).extracting(Sample.Topic::name).containsExactly("logs", "orders");
        assertThat(sample.topics().get(0).kept()).isEmpty();
        assertThat(sample.topics().get(0).allGroups()).isFalse();
        assertThat(sample.topics().get(1).kept()).isPresent();
        assertThat(server.asked().stream().filter(asked -> asked.uri().endsWith("describeTopic")))
                .as("logs is asked for once, orders for its sizes and for its groups")
                .hasSize(3);
    }

    @Test
    void whatWasDeletedSinceItWasListedIsLeftOut() throws Exception {
        refused.put("logs", ErrorCode.TOPIC_NOT_EXIST);
        refused.put("billing", ErrorCode.CONSUMER_NOT_EXIST);

        Sample sample = sample();

        assertThat(sample.topicsInAll()).isEqualTo(1);
        assertThat(sample.topics()).extracting(Sample.Topic::name).containsExactly("orders");
        assertThat(sample.topics()).allMatch(Sample.Topic::allGroups);
        assertThat(sample.groups()).extracting(Sample.Group::name).containsExactly("shipping");
    }

    @Test
    void whatIsWrongOtherwiseIsSaid() {
        refused.put("orders", ErrorCode.PERMISSION_DENIED_ERROR);

        assertThatThrownBy(this::sample)
                .isInstanceOfSatisfying(
                        TalosClientException.class, e -> assertThat(e.code()).isEqualTo("PERMISSION_DENIED_ERROR"));
    }

    @Test
    void topicKnowsThatNotAllOfItsGroupsAreThere() throws Exception {
        groups.put("logs", new TreeSet<>(Set.of("a", "b", "c")));

        Sample sample = sample();

        assertThat(sample.groups())
                .hasSize(GROUPS)
                .allMatch(group -> group.topic().equals("logs"));
        assertThat(sample.topics()).extracting(Sample.Topic::allGroups).containsExactly(true, false);
    }

    @Test
    void ofManyTopicsTheFirstAreAskedFor() throws Exception {
        groups.put("apples", new TreeSet<>());
        groups.put("zebras", new TreeSet<>());

        Sample sample = sample();

        assertThat(sample.topicsInAll()).isEqualTo(4);
        assertThat(sample.topics()).extracting(Sample.Topic::name).containsExactly("apples", "logs", "orders");
    }
}
