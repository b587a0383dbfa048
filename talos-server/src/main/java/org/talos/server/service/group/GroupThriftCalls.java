// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.talos.server.service.call.ServiceName.ADMIN;
import static org.talos.server.service.call.ServiceName.CONSUMER;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ThriftCalls;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.group.GroupReset.Target;
import org.talos.thrift.CheckRegisterRequest;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.DeleteConsumerGroupRequest;
import org.talos.thrift.DescribeGroupRequest;
import org.talos.thrift.DescribeGroupResponse;
import org.talos.thrift.DescribedMember;
import org.talos.thrift.DescribedPartition;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.GrantGroupRequest;
import org.talos.thrift.GroupGrant;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.MovedPartition;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOrgOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.ResetGroupRequest;
import org.talos.thrift.ResetGroupResponse;
import org.talos.thrift.RevokeGroupRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;

/**
 * Registers the calls of the contract about consumer groups. Calls of the SDKs' workers about one group and topic run
 * under one key. Calls of the command line run the operations of REST.
 *
 * <p>Thread-safe.
 */
public final class GroupThriftCalls implements ThriftCalls {
    private final GroupOperations groups;
    private final ConsumerCalls calls;
    private final TopicsConsumerCalls ofTopics;

    /** Takes the operations that all front ends share, and the calls that only the SDKs make. */
    public GroupThriftCalls(GroupOperations groups, ConsumerCalls calls) {
        this.groups = groups;
        this.calls = calls;
        ofTopics = new TopicsConsumerCalls(calls);
    }

    @Override
    public void addTo(CallTable table) {
        addMembership(table);
        addMembershipReads(table);
        addOffsets(table);
        addOfTopics(table);
        table.async(ADMIN, "describeGroup", DescribeGroupRequest::new, this::describe);
        table.async(ADMIN, "resetGroup", ResetGroupRequest::new, this::reset);
        table.async(ADMIN, "grantGroup", GrantGroupRequest::new, this::grant);
        table.async(ADMIN, "revokeGroup", RevokeGroupRequest::new, this::revoke);
    }

    private void addMembership(CallTable table) {
        table.control(CONSUMER, "lockWorker", LockWorkerRequest::new, r -> key(r.getConsumeUnit()), calls::lockWorker);
        table.control(
                CONSUMER,
                "checkRegister",
                CheckRegisterRequest::new,
                r -> key(r.getConsumeUnit()),
                calls::checkRegister);
        table.control(
                CONSUMER,
                "lockPartition",
                LockPartitionRequest::new,
                r -> key(r.getConsumeUnit()),
                calls::lockPartition);
        table.change(
                CONSUMER,
                "unlockPartition",
                UnlockPartitionRequest::new,
                r -> key(r.getConsumeUnit()),
                calls::unlockPartition);
        table.change(
                ADMIN,
                "leaveGroup",
                LeaveGroupRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicTalosResourceName()),
                calls::leaveGroup);
        table.control(CONSUMER, "renew", RenewRequest::new, r -> key(r.getConsumeUnit()), calls::renew);
    }

    private void addMembershipReads(CallTable table) {
        table.control(
                CONSUMER,
                "queryWorker",
                QueryWorkerRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicTalosResourceName()),
                calls::queryWorker);
        table.control(
                CONSUMER,
                "getWorkerId",
                GetWorkerIdRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicAndPartition().getTopicTalosResourceName()),
                calls::getWorkerId);
    }

    private void addOffsets(CallTable table) {
        table.silent(
                CONSUMER,
                "deleteConsumerGroup",
                DeleteConsumerGroupRequest::new,
                (context, r) -> groups.delete(context, r.getConsumerGroup(), r.getTopicTalosResourceName()));
        table.control(
                CONSUMER,
                "queryOffset",
                QueryOffsetRequest::new,
                r -> key(r.getConsumerGroup(), r.getTopicAndPartition().getTopicTalosResourceName()),
                calls::queryOffset);
        table.control(
                CONSUMER,
                "updateOffset",
                UpdateOffsetRequest::new,
                r -> key(
                        r.getCheckpoint().getConsumerGroup(),
                        r.getCheckpoint().getTopicAndPartition().getTopicTalosResourceName()),
                calls::updateOffset);
        table.control(
                CONSUMER,
                "queryOrgOffset",
                QueryOrgOffsetRequest::new,
                QueryOrgOffsetRequest::getOrgId, // not the prefix, which clients can choose freely
                calls::queryOrgOffset);
    }

    /** One group's calls over many topics run one after another; each topic's row is changed in one step anyway. */
    private void addOfTopics(CallTable table) {
        table.control(
                CONSUMER,
                "lockWorkerForTopics",
                TopicsLockWorkerRequest::new,
                TopicsLockWorkerRequest::getConsumerGroup,
                ofTopics::lockWorkerForTopics);
        table.control(
                CONSUMER,
                "renewForTopics",
                TopicsRenewRequest::new,
                r -> r.getConsumeUnit().getConsumerGroup(),
                ofTopics::renewForTopics);
        table.control(
                CONSUMER,
                "queryWorkerForTopics",
                TopicsQueryWorkerRequest::new,
                TopicsQueryWorkerRequest::getConsumerGroup,
                ofTopics::queryWorkerForTopics);
    }

    private static String key(ConsumeUnit unit) {
        return key(unit.getConsumerGroup(), unit.getTopicTalosResourceName());
    }

    private static String key(String group, TopicTalosResourceName topic) {
        return GroupOperations.key(group, topic);
    }

    private CompletionStage<CallResult> describe(CallContext context, DescribeGroupRequest request) {
        return groups.describe(context, new GroupName(request.getTopicName(), request.getConsumerGroup()))
                .thenApply(group -> CallResult.of(shown(group)));
    }

    private static DescribeGroupResponse shown(GroupDescription group) {
        List<DescribedMember> members = new ArrayList<>();
        group.members().forEach((member, held) -> members.add(new DescribedMember(member, held)));
        DescribeGroupResponse shown = new DescribeGroupResponse(
                members,
                group.partitions().stream().map(GroupThriftCalls::shown).toList());
        group.owner().ifPresent(shown::setOwner);
        return shown.setGrants(group.grants().entrySet().stream()
                .map(each -> new GroupGrant(each.getKey(), each.getValue()))
                .toList());
    }

    private CompletionStage<CallResult> grant(CallContext context, GrantGroupRequest request) {
        return groups.grant(
                        context,
                        new GroupName(request.getTopicName(), request.getConsumerGroup()),
                        request.getGrantee(),
                        request.getGroupRight())
                .thenApply(granted -> CallResult.of(null));
    }

    private CompletionStage<CallResult> revoke(CallContext context, RevokeGroupRequest request) {
        return groups.revoke(
                        context,
                        new GroupName(request.getTopicName(), request.getConsumerGroup()),
                        request.getGrantee())
                .thenApply(revoked -> CallResult.of(null));
    }

    private static DescribedPartition shown(GroupDescription.PartitionOf each) {
        DescribedPartition shown = new DescribedPartition(each.partition());
        each.start().ifPresent(shown::setStartOffset);
        each.end().ifPresent(shown::setEndOffset);
        each.lag().ifPresent(shown::setLag);
        each.member().ifPresent(shown::setMemberId);
        each.committed().ifPresent(shown::setCommittedOffset);
        return shown;
    }

    private CompletionStage<CallResult> reset(CallContext context, ResetGroupRequest request) {
        GroupReset reset = new GroupReset(
                target(request), Optional.ofNullable(request.getPartitions()), request.isPreview(), request.isForce());
        return groups.reset(context, new GroupName(request.getTopicName(), request.getConsumerGroup()), reset)
                .thenApply(moves -> CallResult.of(new ResetGroupResponse(
                        moves.stream().map(GroupThriftCalls::shown).toList())));
    }

    private static Target target(ResetGroupRequest request) {
        return switch (request.getPlace()) {
            case EARLIEST -> new Target.Earliest();
            case LATEST -> new Target.Latest();
            case OFFSET -> new Target.Offset(value(request));
            case TIME -> new Target.Time(value(request));
        };
    }

    private static long value(ResetGroupRequest request) {
        if (!request.isSetValue()) {
            throw TalosException.refused(
                    ErrorCode.INVALID_TOPIC_PARAMS, "value (expected: the " + request.getPlace() + " to go to)");
        }
        return request.getValue();
    }

    private static MovedPartition shown(Moved moved) {
        MovedPartition shown = new MovedPartition(moved.partition(), moved.to().orElseThrow()); // of a reset
        moved.from().ifPresent(shown::setFromOffset);
        return shown;
    }
}
