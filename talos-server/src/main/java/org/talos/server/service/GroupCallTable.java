// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.talos.server.service.ControlCalls.by;
import static org.talos.server.service.ControlCalls.nothing;
import static org.talos.server.service.call.ServiceName.ADMIN;
import static org.talos.server.service.call.ServiceName.CONSUMER;

import java.time.InstantSource;
import org.talos.server.runtime.Ticker;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.group.ConsumerCalls;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.TopicsConsumerCalls;
import org.talos.thrift.CheckRegisterRequest;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.DeleteConsumerGroupRequest;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOrgOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;

/**
 * Adds the calls of consumer groups to the table, those of one group and topic under one key.
 *
 * <p>Immutable.
 */
final class GroupCallTable {
    private GroupCallTable() {}

    static void add(CallTable table, ServiceFoundation base, GroupRows rows, InstantSource clock) {
        ConsumerCalls calls = new ConsumerCalls(
                base.repositories().directory(),
                rows,
                base.repositories().offsets(),
                base.config().service(),
                clock,
                base.cluster().coordinator()::isConnected,
                base.repositories().users().keys()::user);
        addMembershipCalls(table, calls);
        addMembershipReads(table, calls);
        Ticker ticker = base.environment().ticker();
        addCommitCalls(table, calls, ticker);
        addTopicsCalls(table, new TopicsConsumerCalls(calls), ticker);
    }

    private static void addMembershipCalls(CallTable table, ConsumerCalls calls) {
        table.control(
                CONSUMER, "lockWorker", LockWorkerRequest::new, r -> key(r.getConsumeUnit()), by(calls::lockWorker));
        table.control(
                CONSUMER,
                "checkRegister",
                CheckRegisterRequest::new,
                r -> key(r.getConsumeUnit()),
                by(calls::checkRegister));
        table.control(
                CONSUMER,
                "lockPartition",
                LockPartitionRequest::new,
                r -> key(r.getConsumeUnit()),
                by(calls::lockPartition));
        table.control(
                CONSUMER,
                "unlockPartition",
                UnlockPartitionRequest::new,
                r -> key(r.getConsumeUnit()),
                nothing(calls::unlockPartition));
        table.control(
                ADMIN,
                "leaveGroup",
                LeaveGroupRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicTalosResourceName()),
                nothing(calls::leaveGroup));
        table.control(CONSUMER, "renew", RenewRequest::new, r -> key(r.getConsumeUnit()), by(calls::renew));
    }

    private static void addMembershipReads(CallTable table, ConsumerCalls calls) {
        table.control(
                CONSUMER,
                "queryWorker",
                QueryWorkerRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicTalosResourceName()),
                by(calls::queryWorker));
        table.control(
                CONSUMER,
                "getWorkerId",
                GetWorkerIdRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicAndPartition().getTopicTalosResourceName()),
                by(calls::getWorkerId));
    }

    private static void addCommitCalls(CallTable table, ConsumerCalls calls, Ticker ticker) {
        table.control(
                CONSUMER,
                "deleteConsumerGroup",
                DeleteConsumerGroupRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicTalosResourceName()),
                nothing(calls::deleteConsumerGroup));
        table.control(
                CONSUMER,
                "queryOffset",
                QueryOffsetRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicAndPartition().getTopicTalosResourceName()),
                by(calls::queryOffset));
        table.control(
                CONSUMER,
                "updateOffset",
                UpdateOffsetRequest::new,
                r -> key(
                        r.getCheckpoint().getConsumerGroup(),
                        r.getCheckpoint().getTopicAndPartition().getTopicTalosResourceName()),
                by(calls::updateOffset));
        table.control(
                CONSUMER,
                "queryOrgOffset",
                QueryOrgOffsetRequest::new,
                QueryOrgOffsetRequest::getOrgId, // not the prefix, of which a client can choose many
                by(ticker, calls::queryOrgOffset));
    }

    /** One group's calls over many topics run one after another; each topic's row is changed in one step anyway. */
    private static void addTopicsCalls(CallTable table, TopicsConsumerCalls calls, Ticker ticker) {
        table.control(
                CONSUMER,
                "lockWorkerForTopics",
                TopicsLockWorkerRequest::new,
                TopicsLockWorkerRequest::getConsumerGroup,
                by(ticker, calls::lockWorkerForTopics));
        table.control(
                CONSUMER,
                "renewForTopics",
                TopicsRenewRequest::new,
                r -> r.getConsumeUnit().getConsumerGroup(),
                by(ticker, calls::renewForTopics));
        table.control(
                CONSUMER,
                "queryWorkerForTopics",
                TopicsQueryWorkerRequest::new,
                TopicsQueryWorkerRequest::getConsumerGroup,
                by(ticker, calls::queryWorkerForTopics));
    }

    private static String key(ConsumeUnit unit) {
        return key(unit.getConsumerGroup(), unit.getTopicTalosResourceName());
    }

    private static String key(String group, TopicTalosResourceName topic) {
        return group + "@" + topic.getTopicTalosResourceName();
    }
}
