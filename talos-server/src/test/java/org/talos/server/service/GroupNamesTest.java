// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.thrift.TBase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.service.call.ServiceName;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.CheckRegisterRequest;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ConsumerGroupAndTopic;
import org.talos.thrift.DeleteConsumerGroupRequest;
import org.talos.thrift.DescribeGroupRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetTopicConsumeUnitRequest;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.GrantGroupRequest;
import org.talos.thrift.GroupRight;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.ResetGroupRequest;
import org.talos.thrift.ResetPlace;
import org.talos.thrift.RevokeGroupRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;

/** Names that no group can have, in each call that names one group. A row's key has no room for the longest. */
@Timeout(60)
class GroupNamesTest extends MessageFixture {
    private static final int LONGER_THAN_A_KEY = 70_000;
    private static final String TOO_LONG = "too long";

    private TopicTalosResourceName topic;

    @BeforeEach
    void nameTopic() {
        topic = partition.getTopicTalosResourceName();
    }

    private Map<String, TBase<?, ?>> membershipCalls(String group) {
        ConsumeUnit unit = new ConsumeUnit(group, topic, List.of(0), "w");
        return Map.of(
                "lockWorker", new LockWorkerRequest(unit),
                "checkRegister", new CheckRegisterRequest(unit),
                "lockPartition", new LockPartitionRequest(unit),
                "unlockPartition", new UnlockPartitionRequest(unit),
                "renew", new RenewRequest(unit),
                "queryWorker", new QueryWorkerRequest(group, topic),
                "getWorkerId", new GetWorkerIdRequest(partition, group),
                "deleteConsumerGroup", new DeleteConsumerGroupRequest(group, topic),
                "queryOffset", new QueryOffsetRequest(group, partition),
                "updateOffset", new UpdateOffsetRequest(new CheckPoint(group, partition, 7, "w")));
    }

    private Map<String, TBase<?, ?>> callsOfSeveralTopics(String group) {
        Map<String, List<Integer>> held = Map.of(topic.getTopicTalosResourceName(), List.of(0));
        return Map.of(
                "lockWorkerForTopics", new TopicsLockWorkerRequest(group, List.of(topic), "w", ""),
                "renewForTopics", new TopicsRenewRequest(new TopicsConsumeUnit(group, held, "w", "")),
                "queryWorkerForTopics", new TopicsQueryWorkerRequest(group, List.of(topic), ""));
    }

    private Map<String, TBase<?, ?>> ownCalls(String group) {
        String name = partition.getTopicName();
        return Map.of(
                "describeGroup", new DescribeGroupRequest(name, group),
                "resetGroup", new ResetGroupRequest(name, group, ResetPlace.EARLIEST, false, false),
                "grantGroup", new GrantGroupRequest(name, group, "bob", GroupRight.READ),
                "revokeGroup", new RevokeGroupRequest(name, group, "bob"),
                "leaveGroup", new LeaveGroupRequest(group, topic, "w"));
    }

    private void assertRefused(ServiceName service, Map<String, TBase<?, ?>> calls) throws Exception {
        for (Map.Entry<String, TBase<?, ?>> each : calls.entrySet()) {
            Optional<ErrorCode> refusal = call(service, each.getKey(), each.getValue(), ANN, GO)
                    .read(null)
                    .map(GalaxyTalosException::getErrorCode);
            assertThat(refusal).as(each.getKey()).contains(ErrorCode.INVALID_NAME_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"_shop", "shop/a", TOO_LONG})
    void nameThatNoGroupCanHaveIsRefusedByEachCall(String name) throws Exception {
        String group = name.equals(TOO_LONG) ? "x".repeat(LONGER_THAN_A_KEY) : name;

        assertRefused(ServiceName.CONSUMER, membershipCalls(group));
        assertRefused(ServiceName.CONSUMER, callsOfSeveralTopics(group));
        assertRefused(ServiceName.ADMIN, ownCalls(group));
        assertRefused(
                ServiceName.METRIC,
                Map.of("getTopicConsumeUnit", new GetTopicConsumeUnitRequest(new ConsumerGroupAndTopic(group, topic))));
    }
}
