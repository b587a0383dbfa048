// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.transport.Service;
import org.talos.thrift.DeleteConsumerGroupRequest;
import org.talos.thrift.DescribeGroupRequest;
import org.talos.thrift.DescribeGroupResponse;
import org.talos.thrift.DescribedMember;
import org.talos.thrift.DescribedPartition;
import org.talos.thrift.GrantGroupRequest;
import org.talos.thrift.MovedPartition;
import org.talos.thrift.QueryConsumerGroupRequest;
import org.talos.thrift.QueryConsumerGroupResponse;
import org.talos.thrift.ResetGroupRequest;
import org.talos.thrift.ResetGroupResponse;
import org.talos.thrift.ResetPlace;
import org.talos.thrift.RevokeGroupRequest;

/**
 * Administers consumer groups: lists, describes, resets, and deletes them, and grants rights on them. Every call waits
 * for its answer; for a group that does not exist it fails with a {@link TalosClientException} whose code is
 * CONSUMER_NOT_EXIST.
 *
 * <p>Thread-safe.
 */
public final class GroupAdmin {
    private final TalosAdmin admin;

    /** Creates the administration of the groups of a client's servers. */
    public GroupAdmin(TalosClient client) {
        admin = new TalosAdmin(client);
    }

    /** Returns the groups of a topic: those that were used and not deleted. */
    public SortedSet<String> list(String topic) throws TalosClientException {
        QueryConsumerGroupRequest asked = new QueryConsumerGroupRequest(admin.resource(topic));
        return new TreeSet<>(admin.read(Service.METRIC, "queryConsumerGroup", asked, new QueryConsumerGroupResponse())
                .getConsumerGroupList());
    }

    /** Members, offsets and lag of a group. */
    public GroupDescription describe(String topic, String group) throws TalosClientException {
        DescribeGroupResponse answer = admin.read(
                Service.ADMIN, "describeGroup", new DescribeGroupRequest(topic, group), new DescribeGroupResponse());
        SortedMap<String, List<Integer>> members = new TreeMap<>();
        for (DescribedMember member : answer.getMembers()) {
            members.put(member.getMemberId(), List.copyOf(member.getPartitions()));
        }
        SortedMap<Grantee, GroupRight> grants = new TreeMap<>(Comparator.comparing(Grantee::id));
        if (answer.isSetGrants()) {
            answer.getGrants().forEach(each -> grants.put(Grantee.of(each.getGrantee()), shown(each.getGroupRight())));
        }
        return new GroupDescription(
                Optional.ofNullable(answer.getOwner()),
                grants,
                members,
                answer.getPartitions().stream().map(GroupAdmin::shown).toList());
    }

    private static GroupRight shown(org.talos.thrift.GroupRight right) {
        return switch (right) {
            case READ -> GroupRight.READ;
            case COMMIT -> GroupRight.COMMIT;
            case ADMINISTER -> GroupRight.ADMINISTER;
        };
    }

    private static org.talos.thrift.GroupRight wired(GroupRight right) {
        return switch (right) {
            case READ -> org.talos.thrift.GroupRight.READ;
            case COMMIT -> org.talos.thrift.GroupRight.COMMIT;
            case ADMINISTER -> org.talos.thrift.GroupRight.ADMINISTER;
        };
    }

    private static ResetPlace place(GroupReset.Target target) {
        return switch (target) {
            case EARLIEST -> ResetPlace.EARLIEST;
            case LATEST -> ResetPlace.LATEST;
            case OFFSET -> ResetPlace.OFFSET;
            case TIME -> ResetPlace.TIME;
        };
    }

    private static GroupDescription.Partition shown(DescribedPartition each) {
        return new GroupDescription.Partition(
                each.getPartitionId(),
                Optional.ofNullable(each.getMemberId()),
                given(each.isSetCommittedOffset(), each.getCommittedOffset()),
                given(each.isSetStartOffset(), each.getStartOffset()),
                given(each.isSetEndOffset(), each.getEndOffset()),
                given(each.isSetLag(), each.getLag()));
    }

    private static OptionalLong given(boolean set, long value) {
        return set ? OptionalLong.of(value) : OptionalLong.empty();
    }

    /** Returns the changes that a reset would make; nothing is changed. */
    public List<GroupReset.Move> preview(String topic, String group, GroupReset reset) throws TalosClientException {
        return reset(topic, group, reset, true);
    }

    /**
     * Sets the committed offsets of a group, which need not exist yet.
     *
     * @throws TalosClientException with the code CONSUMER_GROUP_STILL_WORKING if it has members and the reset is not
     *     {@link GroupReset#evenWithMembers}
     */
    public List<GroupReset.Move> reset(String topic, String group, GroupReset reset) throws TalosClientException {
        return reset(topic, group, reset, false);
    }

    private List<GroupReset.Move> reset(String topic, String group, GroupReset reset, boolean preview)
            throws TalosClientException {
        ResetGroupRequest asked =
                new ResetGroupRequest(topic, group, place(reset.target()), preview, reset.withMembers());
        asked.setValue(reset.value());
        reset.partitions().ifPresent(asked::setPartitions);
        ResetGroupResponse answer = preview
                ? admin.read(Service.ADMIN, "resetGroup", asked, new ResetGroupResponse())
                : admin.call(Service.ADMIN, "resetGroup", asked, new ResetGroupResponse());
        return answer.getPartitions().stream().map(GroupAdmin::shown).toList();
    }

    private static GroupReset.Move shown(MovedPartition each) {
        return new GroupReset.Move(
                each.getPartitionId(), given(each.isSetFromOffset(), each.getFromOffset()), each.getToOffset());
    }

    /**
     * Sets the right of a user, team, or org on a group. A group without an owner, also one that does not exist yet,
     * becomes the caller's.
     *
     * @throws TalosClientException with the code PERMISSION_DENIED_ERROR if the caller may not administer the group
     */
    public void grant(String topic, String group, Grantee grantee, GroupRight right) throws TalosClientException {
        admin.call(Service.ADMIN, "grantGroup", new GrantGroupRequest(topic, group, grantee.id(), wired(right)));
    }

    /**
     * Revokes the right of a user, team, or org; may be repeated. Their present members remain until their time is
     * over.
     */
    public void revoke(String topic, String group, Grantee grantee) throws TalosClientException {
        admin.call(Service.ADMIN, "revokeGroup", new RevokeGroupRequest(topic, group, grantee.id()));
    }

    /**
     * Deletes a group's committed offsets, and its owner.
     *
     * @throws TalosClientException with the code CONSUMER_GROUP_STILL_WORKING while it has members
     */
    public void delete(String topic, String group) throws TalosClientException {
        admin.call(
                Service.CONSUMER, "deleteConsumerGroup", new DeleteConsumerGroupRequest(group, admin.resource(topic)));
    }
}
