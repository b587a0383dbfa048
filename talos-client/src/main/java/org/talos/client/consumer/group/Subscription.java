// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.name.ResourceName;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.LookupTopicsRequest;
import org.talos.thrift.LookupTopicsResponse;

/**
 * The topics that a consumer reads: topics that the program names, or those of a topic group, which may change. The
 * program may choose single partitions of named topics.
 *
 * <p>Confined: {@link #refresh} is called by one thread at a time. All else is thread-safe.
 */
public final class Subscription {
    private static final String NOT_THERE = "TOPIC_NOT_EXIST";
    private static final String DENIED = "PERMISSION_DENIED_ERROR";

    private final ClientCalls calls;
    private final List<String> named;
    private final Optional<String> topicGroup;
    private final Map<String, Set<Integer>> chosen; // partitions by name of their topic; of other topics, all are read
    private volatile SortedMap<String, TopicRef> topics = new TreeMap<>(); // by name; replaced, never changed
    private volatile @Nullable TalosClientException end;
    private boolean isLookedUp;

    /**
     * Creates a subscription that has not been looked up.
     *
     * @param named topics; empty for those of the topic group
     */
    public Subscription(ClientCalls calls, List<String> named, Optional<String> topicGroup) {
        this(calls, named, topicGroup, Map.of());
    }

    private Subscription(
            ClientCalls calls, List<String> named, Optional<String> topicGroup, Map<String, Set<Integer>> chosen) {
        this.calls = calls;
        this.named = List.copyOf(named);
        this.topicGroup = topicGroup;
        this.chosen = Map.copyOf(chosen);
    }

    /** Single partitions of topics, by the topics' names. */
    public static Subscription toPartitions(ClientCalls calls, Map<String, Set<Integer>> chosen) {
        return new Subscription(calls, List.copyOf(chosen.keySet()), Optional.empty(), chosen);
    }

    /** Returns the topics at the last look-up. */
    public List<TopicRef> topics() {
        return List.copyOf(topics.values());
    }

    /** Returns the partitions to read, of the topics at the last lookup. */
    public SortedSet<PartitionRef> partitions() {
        return topics().stream()
                .flatMap(TopicRef::all)
                .filter(each -> !chosen.containsKey(each.topic())
                        || chosen.getOrDefault(each.topic(), Set.of()).contains(each.number()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns whether a failure concerns only one topic, which was deleted or may no longer be read. The other topics
     * can still be read.
     */
    public boolean isOfOneTopic(FatalException failure) {
        return topics.size() > 1
                && (failure.code().equals(DENIED) || failure.code().equals(NOT_THERE));
    }

    /** Returns why nothing is left to be read, now or later: all named topics were deleted. Empty otherwise. */
    public Optional<TalosClientException> end() {
        return Optional.ofNullable(end);
    }

    /**
     * Looks up the topics. A named topic that was deleted is no longer read, even if it is created again. A topic that
     * may no longer be seen stays as it was: the right may be granted again, and the other topics do not wait for that.
     *
     * @throws TalosClientException a look-up failed; the topics are as before. At the first lookup, also if a named
     *     topic does not exist
     * @throws IllegalArgumentException at the first lookup: a chosen partition does not exist
     */
    public void refresh() throws TalosClientException {
        SortedMap<String, TopicRef> found = topicGroup.isPresent() ? ofGroup(topicGroup.get()) : ofNames();
        if (!isLookedUp) {
            found.values().forEach(this::requireChosen);
        }
        topics = found;
        isLookedUp = true;
    }

    private void requireChosen(TopicRef topic) {
        for (int partition : chosen.getOrDefault(topic.name(), Set.of())) {
            if (partition < 0 || partition >= topic.partitions()) {
                throw new IllegalArgumentException("assign: " + topic.name() + "/" + partition + " (expected: 0.."
                        + (topic.partitions() - 1) + ")");
            }
        }
    }

    private SortedMap<String, TopicRef> ofNames() throws TalosClientException {
        SortedMap<String, TopicRef> found = new TreeMap<>();
        List<String> wanted = isLookedUp ? new ArrayList<>(topics.keySet()) : named;
        TalosClientException gone = null;
        for (String name : wanted) {
            try {
                found.put(name, describe(name));
            } catch (FatalException e) {
                TopicRef before = topics.get(name);
                if (before != null && e.code().equals(DENIED)) {
                    found.put(name, before);
                } else if (isLookedUp && e.code().equals(NOT_THERE)) {
                    gone = e;
                } else {
                    throw e;
                }
            }
        }
        if (found.isEmpty() && gone != null) {
            end = gone;
        }
        return found;
    }

    private TopicRef describe(String name) throws TalosClientException {
        GetDescribeInfoResponse info = calls.result(RemoteCall.of(
                Service.TOPIC,
                "getDescribeInfo",
                new GetDescribeInfoRequest(name),
                GetDescribeInfoResponse::new,
                Effect.NONE));
        String resourceName = info.getTopicTalosResourceName().getTopicTalosResourceName();
        TopicRef before = topics.get(name);
        if (before != null && !before.resourceName().equals(resourceName)) {
            throw new FatalException(NOT_THERE, NOT_THERE + ": it was deleted and made again: " + name, null);
        }
        return new TopicRef(name, resourceName, info.getPartitionNumber());
    }

    private SortedMap<String, TopicRef> ofGroup(String name) throws TalosClientException {
        SortedMap<String, TopicRef> found = new TreeMap<>();
        calls.result(RemoteCall.of(
                        Service.TOPIC,
                        "lookupTopics",
                        new LookupTopicsRequest(name),
                        LookupTopicsResponse::new,
                        Effect.NONE))
                .getTopics()
                .forEach((resourceName, partitions) -> ResourceName.parse(resourceName)
                        .ifPresent(parsed ->
                                found.put(parsed.topic(), new TopicRef(parsed.topic(), resourceName, partitions))));
        return found;
    }
}
