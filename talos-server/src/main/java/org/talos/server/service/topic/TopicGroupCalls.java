// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.common.name.Names;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.topic.TopicGroupRecord;
import org.talos.server.metadata.rows.topic.TopicGroups;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.thrift.CreateTopicGroupRequest;
import org.talos.thrift.CreateTopicGroupResponse;
import org.talos.thrift.DeleteTopicGroupRequest;
import org.talos.thrift.DescribeTopicGroupRequest;
import org.talos.thrift.DescribeTopicGroupResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListTopicGroupResponse;
import org.talos.thrift.LookupTopicsRequest;
import org.talos.thrift.LookupTopicsResponse;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicGroup;
import org.talos.thrift.TopicGroupType;
import org.talos.thrift.UpdateTopicGroupRequest;

/**
 * Sets of topics by name or pattern. A group belongs to the user or org that made it; for others it does not exist.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class TopicGroupCalls {
    private static final int MAX_TOPICS = 1_000;
    /** The most groups of one owner: all of them are read at once to be listed. */
    private static final int MAX_GROUPS = 100;
    /** A string and its place in a list. */
    private static final int NAME_BYTES = 64;

    private final TopicGroups groups;
    private final TopicDirectory directory;

    public TopicGroupCalls(TopicGroups groups, TopicDirectory directory) {
        this.groups = groups;
        this.directory = directory;
    }

    /** Creates a group of topics. */
    public CreateTopicGroupResponse createTopicGroup(Caller caller, CreateTopicGroupRequest request)
            throws MetadataException {
        TopicGroupRecord group = asked(request.getTopicGroup(), owner(caller.principal(), request.getTopicGroup()));
        boolean isThere = groups.find(group.name()).isPresent();
        if (!isThere) {
            requireRoom(group.owner());
        }
        if (isThere || groups.save(group, 0).isEmpty()) {
            throw TalosException.refused(ErrorCode.TOPIC_EXIST, "there is a topic group of that name already");
        }
        return new CreateTopicGroupResponse(toWire(group));
    }

    private void requireRoom(String owner) throws MetadataException {
        if (groups.count(each -> each.owner().equals(owner)) >= MAX_GROUPS) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_EXCEEDED, owner + " has " + MAX_GROUPS + " topic groups already: delete some");
        }
    }

    /** Returns the owner of a group: an org that the caller names and belongs to, else the caller. */
    private static String owner(Principal principal, TopicGroup asked) {
        principal.requireRightToAct();
        @Nullable String named = asked.getOwnerId();
        return named != null && principal.orgIds().contains(named) ? named : principal.userId();
    }

    private static TopicGroupRecord asked(TopicGroup asked, String owner) {
        requireName(asked.getTopicGroupName());
        boolean byPattern =
                asked.isSetTopicPattern() && !asked.getTopicPattern().isEmpty();
        boolean bySet = asked.isSetTopicSet() && !asked.getTopicSet().isEmpty();
        if (byPattern == bySet || byPattern != (asked.getType() == TopicGroupType.TOPIC_PATTERN)) {
            throw Failures.invalid("one of topicPattern and topicSet, as the type says");
        }
        if (byPattern) {
            TopicPattern unused = TopicPattern.parse(asked.getTopicPattern());
        }
        return new TopicGroupRecord(
                asked.getTopicGroupName(),
                owner,
                byPattern ? asked.getTopicPattern() : "",
                names(asked.getTopicSet()),
                names(asked.getExclusiveTopics()));
    }

    private static List<String> names(@Nullable List<String> asked) {
        List<String> names = asked == null ? List.of() : asked;
        if (names.size() > MAX_TOPICS) {
            throw Failures.invalid("more than " + MAX_TOPICS + " topics");
        }
        names.forEach(TopicGroupCalls::requireName);
        return names;
    }

    private static void requireName(String name) {
        if (!Names.isValid(name)) {
            throw TalosException.refused(
                    ErrorCode.INVALID_NAME_ERROR, "the name of a topic or of a group of topics has " + Names.EXPECTED);
        }
    }

    /** Describes a group of topics. */
    public DescribeTopicGroupResponse describeTopicGroup(Caller caller, DescribeTopicGroupRequest request)
            throws MetadataException {
        TopicGroupRecord group = find(caller, request.getTopicGroupName()).value();
        caller.memory().reserve(bytes(group));
        return new DescribeTopicGroupResponse(toWire(group));
    }

    /** Lists the groups of topics that belong to the caller or its orgs. */
    public ListTopicGroupResponse listTopicGroup(Caller caller) throws MetadataException {
        caller.principal().requireRightToAct();
        return new ListTopicGroupResponse(groups.list(group -> isShown(caller, group)).stream()
                .map(TopicGroupCalls::toWire)
                .toList());
    }

    /** Returns whether a group is listed, for which memory is reserved then. */
    private static boolean isShown(Caller caller, TopicGroupRecord group) {
        boolean shown = isOf(caller.principal(), group);
        if (shown) {
            caller.memory().reserve(bytes(group), "describe the groups one by one");
        }
        return shown;
    }

    private static long bytes(TopicGroupRecord group) {
        long names = Stream.concat(group.topics().stream(), group.except().stream())
                .mapToLong(name -> NAME_BYTES + 4L * name.length())
                .sum();
        return names + AnswerMemory.row(group.name().length() + group.pattern().length());
    }

    /** Replaces a group whole, but for its owner. */
    public void updateTopicGroup(Caller caller, UpdateTopicGroupRequest request) throws MetadataException {
        while (true) {
            Versioned<TopicGroupRecord> before =
                    find(caller, request.getTopicGroup().getTopicGroupName());
            TopicGroupRecord after =
                    asked(request.getTopicGroup(), before.value().owner());
            if (groups.save(after, before.version()).isPresent()) {
                return;
            }
        }
    }

    /** Deletes a group of topics; the topics stay. */
    public void deleteTopicGroup(Caller caller, DeleteTopicGroupRequest request) throws MetadataException {
        while (true) {
            Versioned<TopicGroupRecord> before = find(caller, request.getTopicGroupName());
            if (groups.delete(before.value().name(), before.version())) {
                return;
            }
        }
    }

    /** Returns the topics of the group that the caller may read, by resource name. */
    public LookupTopicsResponse lookupTopics(Caller caller, LookupTopicsRequest request) throws MetadataException {
        TopicGroupRecord group = find(caller, request.getTopicGroup()).value();
        Predicate<String> named =
                group.pattern().isEmpty() ? group.topics()::contains : TopicPattern.parse(group.pattern())::matches;
        Map<String, Integer> topics = new HashMap<>();
        for (TopicRecord topic : directory.all()) {
            boolean readable = (Permissions.bits(topic, caller.principal()) & Permission.GET_MESSAGE.getValue()) != 0;
            if (readable && !group.except().contains(topic.name()) && named.test(topic.name())) {
                String name = topic.resourceName();
                caller.memory().reserve(AnswerMemory.row(name.length()), "narrow the group's pattern");
                topics.put(name, topic.partitions());
            }
        }
        return new LookupTopicsResponse(topics);
    }

    private Versioned<TopicGroupRecord> find(Caller caller, String name) throws MetadataException {
        caller.principal().requireRightToAct();
        requireName(name);
        Optional<Versioned<TopicGroupRecord>> found =
                groups.find(name).filter(row -> isOf(caller.principal(), row.value()));
        return found.orElseThrow(() -> TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic group " + name));
    }

    private static boolean isOf(Principal principal, TopicGroupRecord group) {
        return principal.admin()
                || principal.userId().equals(group.owner())
                || principal.orgIds().contains(group.owner());
    }

    /** Sets one of the two fields: readers go by which is set. */
    private static TopicGroup toWire(TopicGroupRecord group) {
        boolean byPattern = !group.pattern().isEmpty();
        TopicGroup wire = new TopicGroup(
                group.name(), group.owner(), byPattern ? TopicGroupType.TOPIC_PATTERN : TopicGroupType.TOPIC_SET);
        if (byPattern) {
            wire.setTopicPattern(group.pattern());
        } else {
            wire.setTopicSet(group.topics());
        }
        wire.setExclusiveTopics(group.except());
        return wire;
    }
}
