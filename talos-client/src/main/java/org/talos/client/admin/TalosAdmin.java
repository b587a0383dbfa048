// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.RetriableException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.AddUserResponse;
import org.talos.thrift.ChangeTopicAttributeRequest;
import org.talos.thrift.CheckGranteeRequest;
import org.talos.thrift.CheckGranteeResponse;
import org.talos.thrift.CreateTopicGroupRequest;
import org.talos.thrift.CreateTopicGroupResponse;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.DeleteTopicGroupRequest;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.GetCheckpointRequest;
import org.talos.thrift.GetCheckpointResponse;
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.ListPermissionRequest;
import org.talos.thrift.ListPermissionResponse;
import org.talos.thrift.ListTopicGroupResponse;
import org.talos.thrift.ListTopicsInfoResponse;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.Permission;
import org.talos.thrift.RemoveUserRequest;
import org.talos.thrift.RevokePermissionRequest;
import org.talos.thrift.SetPermissionRequest;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicGroupType;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Administers topics, permissions and users. Every call waits for its answer.
 *
 * <p>Thread-safe.
 */
public final class TalosAdmin {
    private final ClientCalls calls;

    /** Creates the administration of a client's servers. */
    public TalosAdmin(TalosClient client) {
        calls = client.calls();
    }

    /**
     * Makes a call that changes nothing. It may be repeated after any failure, and a failure never has an unknown
     * outcome.
     */
    <R extends TBase<?, ?>> R read(Service service, String method, @Nullable TBase<?, ?> request, R result)
            throws TalosClientException {
        return calls.call(service, method, request, result, Effect.NONE);
    }

    <R extends TBase<?, ?>> R call(Service service, String method, @Nullable TBase<?, ?> request, R result)
            throws TalosClientException {
        return calls.call(service, method, request, result, Effect.ONCE);
    }

    void call(Service service, String method, TBase<?, ?> request) throws TalosClientException {
        var unused = calls.await(RemoteCall.without(service, method, request, Effect.ONCE));
    }

    /**
     * Creates a topic; producers can put to it at once.
     *
     * @throws TalosClientException FatalException with code TOPIC_EXIST, INVALID_TOPIC_PARAMS or QUOTA_EXCEEDED;
     *     UnknownOutcomeException: {@link #describeTopic} says whether the topic exists
     */
    public TopicDescription createTopic(NewTopic topic) throws TalosClientException {
        TopicAttribute asked =
                attribute(OptionalInt.of(topic.partitions()), Optional.of(topic.retention()), topic.attributes());
        CreateTopicResponse created = call(
                Service.TOPIC, "createTopic", new CreateTopicRequest(topic.name(), asked), new CreateTopicResponse());
        return described(created.getTopicInfo(), asked);
    }

    private static TopicAttribute attribute(
            OptionalInt partitions, Optional<Duration> retention, Map<String, String> attributes) {
        TopicAttribute attribute = new TopicAttribute();
        partitions.ifPresent(attribute::setPartitionNumber);
        retention.ifPresent( // the server reports values out of range
                time -> attribute.setMessageRetentionSecs((int) Math.min(Integer.MAX_VALUE, time.toSeconds())));
        if (!attributes.isEmpty()) {
            attribute.setAttributes(attributes);
        }
        return attribute;
    }

    /** Deletes a topic with all its messages. */
    public void deleteTopic(String name) throws TalosClientException {
        call(Service.TOPIC, "deleteTopic", new DeleteTopicRequest(resource(name)));
    }

    /** Describes a topic. */
    public TopicDescription describeTopic(String name) throws TalosClientException {
        DescribeTopicResponse topic = describe(name);
        return described(topic.getTopicInfo(), topic.getTopicAttribute());
    }

    private DescribeTopicResponse describe(String name) throws TalosClientException {
        return read(Service.TOPIC, "describeTopic", new DescribeTopicRequest(name), new DescribeTopicResponse());
    }

    TopicTalosResourceName resource(String name) throws TalosClientException {
        return describe(name).getTopicInfo().getTopicTalosResourceName();
    }

    /** Returns the caller's topics. */
    public List<TopicDescription> listTopics() throws TalosClientException {
        ListTopicsInfoResponse all = read(Service.TOPIC, "listTopicsInfo", null, new ListTopicsInfoResponse());
        return all.getTopicList().stream()
                .map(topic -> described(topic.getTopicInfo(), topic.getTopicAttribute()))
                .toList();
    }

    private static TopicDescription described(TopicInfo info, TopicAttribute attribute) {
        return new TopicDescription(
                info.getTopicName(),
                info.getTopicTalosResourceName().getTopicTalosResourceName(),
                info.getOwnerId(),
                attribute.getPartitionNumber(),
                Duration.ofSeconds(attribute.getMessageRetentionSecs()),
                attribute.isSetAttributes() ? attribute.getAttributes() : Map.of());
    }

    /** Returns the sizes of a topic's partitions. */
    public List<PartitionSize> sizes(String topic) throws TalosClientException {
        return describe(topic).getTopicState().getPartitionStates().stream()
                .map(state -> new PartitionSize(
                        state.getPartitionId(),
                        state.getStartOffset(),
                        state.getLastestOffset() + 1,
                        state.getMessageNumber(),
                        state.getMessageBytes()))
                .toList();
    }

    /**
     * Changes a topic. Only the fields of the change are sent, so concurrent changes of other fields stay.
     *
     * @throws TalosClientException FatalException with code INVALID_TOPIC_PARAMS, CHANGE_PARTITION_TOO_FAST or
     *     QUOTA_EXCEEDED
     * @throws IllegalArgumentException the change sets nothing
     */
    public void alterTopic(String name, TopicChange change) throws TalosClientException {
        if (change.equals(TopicChange.NONE)) {
            throw new IllegalArgumentException("change: nothing (expected: partitions, retention or attributes)");
        }
        TopicAttribute asked = attribute(change.partitions(), change.retention(), change.attributes());
        call(Service.TOPIC, "changeTopicAttribute", new ChangeTopicAttributeRequest(resource(name), asked));
    }

    /**
     * Sets a grantee's rights on a topic.
     *
     * @throws IllegalArgumentException no right: {@link #revoke} takes them back
     */
    public void grant(String topic, Grantee to, Set<Right> rights) throws TalosClientException {
        if (rights.isEmpty()) {
            throw new IllegalArgumentException("rights: none (expected: one or more; revoke takes rights back)");
        }
        Permission permission = rights.containsAll(Set.of(Right.PUT, Right.GET))
                ? Permission.TOPIC_READ_AND_MESSAGE_FULL_CONTROL
                : rights.contains(Right.PUT)
                        ? Permission.PUT_MESSAGE_AND_DESCRIBE_TOPIC
                        : Permission.GET_MESSAGE_AND_DESCRIBE_TOPIC;
        call(Service.TOPIC, "setPermission", new SetPermissionRequest(resource(topic), wire(to), permission));
    }

    /**
     * Returns a warning if no user, team, or org has the identifier of this grantee, as far as the server knows.
     * Without one, a grant has an effect only for a developer for whom a service key acts, or once somebody has the
     * identifier. Returns empty if the identifier exists.
     *
     * @throws TalosClientException also if the server is of an earlier version, which does not know the call
     */
    public Optional<String> warning(Grantee grantee) throws TalosClientException {
        CheckGranteeResponse check =
                read(Service.ADMIN, "checkGrantee", new CheckGranteeRequest(grantee.id()), new CheckGranteeResponse());
        return Optional.ofNullable(check.getWarning());
    }

    /** Revokes all rights of a grantee to a topic. */
    public void revoke(String topic, Grantee from) throws TalosClientException {
        call(Service.TOPIC, "revokePermission", new RevokePermissionRequest(resource(topic), wire(from)));
    }

    /** Returns the rights of users, teams and orgs to a topic; the owner may do everything. */
    public List<TopicRight> rights(String topic) throws TalosClientException {
        ListPermissionResponse all = read(
                Service.TOPIC,
                "listPermission",
                new ListPermissionRequest(resource(topic)),
                new ListPermissionResponse());
        return new TreeMap<>(all.getPermissions())
                .entrySet().stream()
                        .map(each -> new TopicRight(Grantee.of(each.getKey()), rights(each.getValue())))
                        .toList();
    }

    private static Set<Right> rights(int bits) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        if ((bits & Permission.PUT_MESSAGE.getValue()) != 0) {
            rights.add(Right.PUT);
        }
        if ((bits & Permission.GET_MESSAGE.getValue()) != 0) {
            rights.add(Right.GET);
        }
        return rights;
    }

    private static org.talos.thrift.Grantee wire(Grantee who) {
        org.talos.thrift.Grantee wire = new org.talos.thrift.Grantee();
        wire.setIdentifier(who.id());
        return wire;
    }

    /**
     * Returns the offsets of each partition of a topic.
     *
     * @throws TalosClientException also if those of one partition are not known, RetriableException with its code
     */
    public List<PartitionOffsets> offsets(TopicDescription topic) throws TalosClientException {
        List<PartitionOffsets> offsets = new ArrayList<>();
        for (OffsetInfo info : offsetInfos(topic)) {
            if (info.getErrorCode() != null) {
                throw new RetriableException(
                        info.getErrorCode().name(),
                        info.getErrorCode() + ": partition " + info.getPartitionId() + ": " + info.getErrorMsg(),
                        null);
            }
            offsets.add(offsets(info));
        }
        return offsets;
    }

    /** Returns the offsets of a topic's partitions; a partition without a server is left out. */
    public List<PartitionOffsets> knownOffsets(TopicDescription topic) throws TalosClientException {
        return offsetInfos(topic).stream()
                .filter(info -> info.getErrorCode() == null)
                .map(TalosAdmin::offsets)
                .toList();
    }

    private List<OffsetInfo> offsetInfos(TopicDescription topic) throws TalosClientException {
        GetTopicOffsetResponse all = read(
                Service.MESSAGE,
                "getTopicOffset",
                new GetTopicOffsetRequest(new TopicTalosResourceName(topic.resourceName())),
                new GetTopicOffsetResponse());
        return all.getOffsetInfoList();
    }

    private static PartitionOffsets offsets(OffsetInfo info) {
        return new PartitionOffsets(
                info.getPartitionId(),
                info.getStartOffset(),
                info.getEndOffset() + 1); // in the protocol, it is the offset of the last message
    }

    /**
     * By partition, the offset of the first message that was appended at or after a time; one past the newest if there
     * is none.
     */
    public SortedMap<Integer, Long> offsetsAt(TopicDescription topic, Instant time) throws TalosClientException {
        Map<Integer, Long> times = new HashMap<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            times.put(partition, time.toEpochMilli());
        }
        GetCheckpointResponse found = read(
                Service.MESSAGE,
                "getTopicCheckpoint",
                new GetCheckpointRequest(new TopicTalosResourceName(topic.resourceName()), times),
                new GetCheckpointResponse());
        return new TreeMap<>(found.getPartitionsCheckPoint());
    }

    /** Creates a topic group, of which the caller is the owner. */
    public void createTopicGroup(TopicGroup group) throws TalosClientException {
        var unused = call(
                Service.TOPIC,
                "createTopicGroup",
                new CreateTopicGroupRequest(wire(group)),
                new CreateTopicGroupResponse());
    }

    private static org.talos.thrift.TopicGroup wire(TopicGroup group) {
        org.talos.thrift.TopicGroup wire = new org.talos.thrift.TopicGroup(
                group.name(),
                "",
                group.pattern().isPresent() ? TopicGroupType.TOPIC_PATTERN : TopicGroupType.TOPIC_SET);
        group.pattern().ifPresentOrElse(wire::setTopicPattern, () -> wire.setTopicSet(group.topics()));
        wire.setExclusiveTopics(group.except());
        return wire;
    }

    /** Returns the topic groups of the caller and of the caller's orgs. */
    public List<TopicGroup> listTopicGroups() throws TalosClientException {
        return read(Service.TOPIC, "listTopicGroup", null, new ListTopicGroupResponse()).getTopicGroupList().stream()
                .map(each -> new TopicGroup(
                        each.getTopicGroupName(),
                        Optional.ofNullable(each.getTopicPattern()),
                        Optional.ofNullable(each.getTopicSet()).orElse(List.of()),
                        Optional.ofNullable(each.getExclusiveTopics()).orElse(List.of())))
                .toList();
    }

    /** Deletes a topic group; the topics stay. */
    public void deleteTopicGroup(String name) throws TalosClientException {
        call(Service.TOPIC, "deleteTopicGroup", new DeleteTopicGroupRequest(name));
    }

    /** Adds a user and returns their key, whose secret is not shown again. */
    public NewCredential addUser(String userId, boolean admin, List<String> orgIds, List<String> teamIds)
            throws TalosClientException {
        return addUser(new AddUserRequest(userId, admin, orgIds, teamIds));
    }

    /**
     * Adds a user with a key of their own, which no other user may have.
     *
     * @param key id of 4 to 100 letters, digits, dots, dashes and underscores; secret of 16 to 200 visible characters
     *     of ASCII
     */
    public NewCredential addUser(
            String userId, boolean admin, List<String> orgIds, List<String> teamIds, NewCredential key)
            throws TalosClientException {
        AddUserRequest request = new AddUserRequest(userId, admin, orgIds, teamIds);
        request.setKeyId(key.accessKey());
        request.setSecretKey(key.secretKey());
        return addUser(request);
    }

    private NewCredential addUser(AddUserRequest request) throws TalosClientException {
        AddUserResponse added = call(Service.ADMIN, "addUser", request, new AddUserResponse());
        return new NewCredential(added.getUser().getKeyId(), added.getSecretKey());
    }

    /** Returns all users of the server. */
    public List<UserDescription> listUsers() throws TalosClientException {
        ListUsersResponse all = read(Service.ADMIN, "listUsers", null, new ListUsersResponse());
        return all.getUsers().stream()
                .map(user -> new UserDescription(user.getUserId(), user.getKeyId(), user.isAdmin()))
                .toList();
    }

    /** Removes a user; their key is refused from then on. */
    public void removeUser(String userId) throws TalosClientException {
        call(Service.ADMIN, "removeUser", new RemoveUserRequest(userId));
    }
}
