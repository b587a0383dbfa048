// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.PartitionFigures;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.quota.QuotaMapping;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.GetTopicAttributeResponse;
import org.talos.thrift.ListTopicsInfoResponse;
import org.talos.thrift.ListTopicsResponse;
import org.talos.thrift.MatchTopicsRequest;
import org.talos.thrift.MatchTopicsResponse;
import org.talos.thrift.PartitionState;
import org.talos.thrift.Permission;
import org.talos.thrift.Topic;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicOwnerInfo;
import org.talos.thrift.TopicState;
import org.talos.thrift.TopicStatus;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The calls that show topics.
 *
 * <p>Thread-safe. All read memory only, but for {@link #describeTopic}, which may ask other servers.
 */
public final class TopicViews {
    private static final String LIST_NAMES =
            "list the names by GET /v1/topics or the call listTopics, and describe each topic";
    /** A partition's figures in an answer. */
    private static final int PARTITION_BYTES = 160;

    private final TopicDirectory directory;
    private final TopicLookup topics;
    private final TopicPartitions partitions;
    private final Quotas quotas;

    public TopicViews(TopicDirectory directory, TopicPartitions partitions, Quotas quotas) {
        this.directory = directory;
        this.topics = new TopicLookup(directory);
        this.partitions = partitions;
        this.quotas = quotas;
    }

    /** Describes a topic in full; fails with PARTITION_NOT_SERVING if a partition of it is not served. */
    public DescribeTopicResponse describeTopic(Caller caller, String name) throws MetadataException {
        TopicRecord topic = describable(caller, name);
        caller.memory().reserve(bytes(topic));
        partitions.refresh(topic);
        TopicState state = state(topic, number -> partitions.figures(topic.topicId(), number));
        return new DescribeTopicResponse(info(topic), attribute(topic), state, quota(topic, state), acl(topic));
    }

    /** Returns a topic's resource name and number of partitions. */
    public GetDescribeInfoResponse getDescribeInfo(Caller caller, String name) {
        TopicRecord topic = describable(caller, name);
        return new GetDescribeInfoResponse(resourceName(topic), topic.partitions());
    }

    /** Returns a topic's attributes. */
    public GetTopicAttributeResponse getTopicAttribute(Caller caller, GetTopicAttributeRequest request)
            throws MetadataException {
        TopicRecord topic = describable(caller, request.getTopicName());
        caller.memory().reserve(bytes(topic));
        return new GetTopicAttributeResponse(resourceName(topic), attribute(topic));
    }

    /** Lists the topics of the caller and its orgs. */
    public ListTopicsResponse listTopics(Caller caller) {
        return infos(caller, owned(caller));
    }

    /** Describes the caller's topics in full; a partition that is not served is shown as empty. */
    public ListTopicsInfoResponse listTopicsInfo(Caller caller) throws MetadataException {
        List<TopicRecord> owned = list(owned(caller));
        caller.memory().reserve(owned, this::bytes, LIST_NAMES);
        List<Topic> shown = new ArrayList<>();
        for (TopicRecord topic : owned) {
            TopicState state = state(topic, number -> figuresOrNothing(topic, number));
            Topic full = new Topic(info(topic), attribute(topic), state);
            full.setTopicQuota(quota(topic, state));
            full.setTopicAcl(acl(topic));
            shown.add(full);
        }
        return new ListTopicsInfoResponse(shown);
    }

    /** Lists the topics that the caller may use without owning them. */
    public ListTopicsResponse getBindTopics(Caller caller) {
        Predicate<TopicRecord> bound =
                owned(caller).negate().and(topic -> Permissions.bits(topic, caller.principal()) != 0);
        return infos(caller, bound);
    }

    private ListTopicsResponse infos(Caller caller, Predicate<TopicRecord> wanted) {
        List<TopicRecord> listed = list(wanted);
        caller.memory().reserve(listed, TopicViews::infoBytes, "match the names of topics by a pattern");
        return new ListTopicsResponse(listed.stream().map(TopicViews::info).toList());
    }

    /** Returns, for members of the team, the names by pattern of topics that the team was granted. */
    public MatchTopicsResponse matchTopics(Caller caller, MatchTopicsRequest request) {
        Principal principal = caller.principal();
        principal.requireRightToAct();
        String team = request.getTeamId();
        if (!principal.admin() && !principal.teamIds().contains(team)) {
            throw TalosException.refused(ErrorCode.PERMISSION_DENIED_ERROR, "this is for members of the team");
        }
        TopicPattern pattern = TopicPattern.parse(request.getTopicPattern());
        Predicate<TopicRecord> usable = topic -> Permissions.bits(topic, team) != 0
                || topic.subResources().stream()
                        .anyMatch(opened -> opened.adminTeamId().equals(team));
        List<String> names = list(usable.and(topic -> pattern.matches(topic.name()))).stream()
                .map(TopicRecord::name)
                .toList();
        caller.memory().reserve(names, name -> AnswerMemory.row(name.length()), "match fewer topics");
        return new MatchTopicsResponse(names);
    }

    /** Returns the memory of a topic in an answer with all of it: its row as read, and as sent. */
    private long bytes(TopicRecord topic) {
        return infoBytes(topic) + 2 * directory.rowBytes(topic) + (long) topic.partitions() * PARTITION_BYTES;
    }

    /** Returns the memory of a topic's names in an answer. */
    static long infoBytes(TopicRecord topic) {
        String owner = Objects.requireNonNullElse(topic.ownerName(), "");
        String charge = Objects.requireNonNullElse(topic.chargeId(), "");
        return AnswerMemory.row((long) topic.name().length()
                + topic.owner().length()
                + topic.resourceName().length()
                + owner.length()
                + charge.length());
    }

    private TopicRecord describable(Caller caller, String name) {
        TopicRecord topic = topics.byName(name);
        Permissions.require(topic, caller.principal(), Permission.DESCRIBE_TOPIC);
        return topic;
    }

    private static Predicate<TopicRecord> owned(Caller caller) {
        Principal principal = caller.principal();
        principal.requireRightToAct();
        return topic ->
                topic.owner().equals(principal.userId()) || principal.orgIds().contains(topic.owner());
    }

    private List<TopicRecord> list(Predicate<TopicRecord> wanted) {
        return directory.all().stream()
                .filter(wanted)
                .sorted(Comparator.comparing(TopicRecord::name))
                .toList();
    }

    private PartitionFigures figuresOrNothing(TopicRecord topic, int partition) {
        try {
            return partitions.figures(topic.topicId(), partition);
        } catch (TalosException e) {
            if (e.code() == ErrorCode.PARTITION_NOT_SERVING) {
                return PartitionFigures.NOTHING;
            }
            throw e;
        }
    }

    /** Where a partition's figures come from. */
    private interface Figures {
        PartitionFigures of(int partition);
    }

    private static TopicState state(TopicRecord topic, Figures figures) {
        List<PartitionState> states = new ArrayList<>();
        TopicState state = new TopicState(topic.createTimestamp(), TopicStatus.ACTIVE, 0, 0, states);
        state.setTotalMessageNumber(0);
        state.setTotalMessageBytes(0);
        for (int number = 0; number < topic.partitions(); number++) {
            PartitionFigures of = figures.of(number);
            PartitionState partition =
                    new PartitionState(number, of.startOffset(), of.durableEnd() - 1, of.messages(), of.bytes());
            partition.setTotalMessageNumber(of.totalMessages());
            partition.setTotalMessageBytes(of.totalBytes());
            states.add(partition);
            state.setMessageNumber(state.getMessageNumber() + of.messages());
            state.setMessageBytes(state.getMessageBytes() + of.bytes());
            state.setTotalMessageNumber(state.getTotalMessageNumber() + of.totalMessages());
            state.setTotalMessageBytes(state.getTotalMessageBytes() + of.totalBytes());
        }
        return state;
    }

    private BaseQuota quota(TopicRecord topic, TopicState state) {
        return QuotaMapping.of(quotas.ofTopic(topic.topicId()).orElse(QuotaMapping.NONE), state.getMessageBytes());
    }

    static TopicInfo info(TopicRecord topic) {
        TopicInfo info = new TopicInfo(topic.name(), resourceName(topic), topic.owner());
        if (topic.chargeId() != null || topic.ownerName() != null) {
            TopicOwnerInfo owner = new TopicOwnerInfo();
            owner.setChargeId(topic.chargeId());
            owner.setOwnerName(topic.ownerName());
            info.setOwnerInfo(owner);
        }
        return info;
    }

    private TopicAttribute attribute(TopicRecord topic) throws MetadataException {
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(topic.partitions());
        attribute.setMessageRetentionSecs(topic.retentionSeconds());
        attribute.setAttributes(new HashMap<>(directory.whole(topic).attributes()));
        attribute.setOldPartitionNumber(topic.oldPartitions());
        return attribute;
    }

    /** Returns the permission bits of each identifier, the owner included. */
    static Map<String, Integer> acl(TopicRecord topic) {
        Map<String, Integer> all = new HashMap<>();
        topic.acl().keySet().forEach(identifier -> all.put(identifier, Permissions.bits(topic, identifier)));
        all.put(topic.owner(), Permissions.ALL);
        return all;
    }

    private static TopicTalosResourceName resourceName(TopicRecord topic) {
        return new TopicTalosResourceName(topic.resourceName());
    }
}
