// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.group.GroupReset.Target;
import org.talos.thrift.DescribeGroupRequest;
import org.talos.thrift.DescribeGroupResponse;
import org.talos.thrift.DescribedMember;
import org.talos.thrift.DescribedPartition;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GrantGroupRequest;
import org.talos.thrift.GroupGrant;
import org.talos.thrift.MovedPartition;
import org.talos.thrift.ResetGroupRequest;
import org.talos.thrift.ResetGroupResponse;
import org.talos.thrift.RevokeGroupRequest;

/**
 * Consumer groups for the command line: what REST shows and changes, in one call each, over the signed protocol.
 *
 * <p>Thread-safe.
 */
public final class GroupAdminCalls {
    private final GroupOperations groups;

    private GroupAdminCalls(GroupOperations groups) {
        this.groups = groups;
    }

    /** Adds the calls to the table. */
    public static void add(CallTable table, GroupOperations groups) {
        GroupAdminCalls calls = new GroupAdminCalls(groups);
        table.async(ServiceName.ADMIN, "describeGroup", DescribeGroupRequest::new, calls::describe);
        table.async(ServiceName.ADMIN, "resetGroup", ResetGroupRequest::new, calls::reset);
        table.async(ServiceName.ADMIN, "grantGroup", GrantGroupRequest::new, calls::grant);
        table.async(ServiceName.ADMIN, "revokeGroup", RevokeGroupRequest::new, calls::revoke);
    }

    private CompletionStage<CallResult> describe(CallContext context, DescribeGroupRequest request) {
        return groups.describe(context, new GroupName(request.getTopicName(), request.getConsumerGroup()))
                .thenApply(group -> CallResult.of(shown(group)));
    }

    private static DescribeGroupResponse shown(GroupDescription group) {
        List<DescribedMember> members = new ArrayList<>();
        group.members().forEach((member, held) -> members.add(new DescribedMember(member, held)));
        DescribeGroupResponse shown = new DescribeGroupResponse(
                members, group.partitions().stream().map(GroupAdminCalls::shown).toList());
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
                        moves.stream().map(GroupAdminCalls::shown).toList())));
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
