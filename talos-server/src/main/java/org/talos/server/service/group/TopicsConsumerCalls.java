// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.common.name.ResourceName;
import org.talos.server.metadata.MetadataException;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.call.Caller;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsLockWorkerResponse;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerResponse;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.TopicsRenewResponse;

/**
 * The calls of consumers that read several topics at once. A deleted topic, or one on which the caller has lost its
 * right, does not affect the others: its partitions count as lost, and it has no workers. A user with a right on none
 * of them is refused.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class TopicsConsumerCalls {
    /** Each topic is a row that is read or changed, one after another, within one call's deadline. */
    static final int MAX_TOPICS = 4_096;

    private final ConsumerCalls single;

    public TopicsConsumerCalls(ConsumerCalls single) {
        this.single = single;
    }

    /**
     * Registers a worker for several topics, after all of them have been checked.
     *
     * @throws TalosException REQUEST_PROCESS_TIMEOUT: the call's deadline passed. Any failure has the effect UNKNOWN if
     *     the worker is already registered for some of the topics
     */
    public TopicsLockWorkerResponse lockWorkerForTopics(Caller caller, TopicsLockWorkerRequest request)
            throws MetadataException {
        ConsumerCalls.requireWorker(request.getWorkerId());
        requireFew(request.getTopics().size());
        Set<GroupAccess> topics = new LinkedHashSet<>();
        for (TopicTalosResourceName name : request.getTopics()) {
            topics.add(single.readable(caller, name, request.getConsumerGroup()));
        }
        for (GroupAccess topic : topics) {
            caller.deadline().require("the worker's topics were checked");
            single.requireMayUse(topic, request.getWorkerId());
        }
        register(caller, topics, request.getWorkerId());
        return new TopicsLockWorkerResponse(true);
    }

    private void register(Caller caller, Set<GroupAccess> topics, String worker) throws MetadataException {
        boolean registered = false;
        for (GroupAccess topic : topics) {
            requireTime(caller, "the worker was registered", registered);
            try {
                single.register(topic, worker);
            } catch (MetadataException | TalosException e) {
                if (registered) {
                    throw Failures.partly(e);
                }
                throw e;
            }
            registered = true;
        }
    }

    /** @param begun whether some of the topics have been changed by now */
    private static void requireTime(Caller caller, String work, boolean begun) {
        try {
            caller.deadline().require(work);
        } catch (TalosException e) {
            throw begun ? Failures.partly(e) : e;
        }
    }

    private static void requireFew(int topics) {
        if (topics > MAX_TOPICS) {
            throw TalosException.refused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    "number of topics: " + topics + " (expected: at most " + MAX_TOPICS
                            + "); use one worker id for each part of the topics");
        }
    }

    /**
     * Renews a worker's locks of several topics; returns the partitions that it has lost. The Go SDK continues to read
     * those: it releases everything only if its heartbeat fails, and nothing else keeps two workers from reading one
     * partition. A client that knows {@code recorded} uses that.
     *
     * @throws TalosException REQUEST_PROCESS_TIMEOUT: the call's deadline passed; effect UNKNOWN if some of the topics
     *     are already renewed
     */
    public TopicsRenewResponse renewForTopics(Caller caller, TopicsRenewRequest request) throws MetadataException {
        TopicsConsumeUnit unit = request.getConsumeUnit();
        ConsumerCalls.requireWorker(unit.getWorkerId());
        requireFew(unit.getTopicPartitionsSize());
        unit.getTopicPartitions().values().forEach(ConsumerCalls::requireFew);
        List<TopicAndPartition> lost = new ArrayList<>();
        Denials denials = new Denials();
        boolean member = true;
        boolean own = true;
        boolean begun = false;
        for (Map.Entry<String, List<Integer>> held : unit.getTopicPartitions().entrySet()) {
            requireTime(caller, "the worker's topics were renewed", begun);
            begun = true;
            GroupMembership.Renewed renewed = renew(caller, unit, held.getKey(), held.getValue(), denials);
            member &= renewed.member();
            own &= renewed.foreign().isEmpty();
            renewed.lost().forEach(partition -> lost.add(struct(held.getKey(), partition)));
        }
        denials.requireAny();
        TopicsRenewResponse answer = new TopicsRenewResponse(member && own, lost);
        return own ? answer : answer.setRecorded(member);
    }

    /**
     * Renews the locks of one topic. If the user may no longer read the topic, its partitions are free for others. If
     * the group on it belongs to another user, its partitions count as held by others.
     */
    private GroupMembership.Renewed renew(
            Caller caller, TopicsConsumeUnit unit, String resourceName, List<Integer> partitions, Denials denials)
            throws MetadataException {
        Optional<GroupAccess> topic = existing(caller, resourceName, unit.getConsumerGroup(), denials);
        if (topic.isEmpty()) {
            return new GroupMembership.Renewed(true, partitions, List.of());
        }
        try {
            GroupMembership.Renewed renewed = single.renew(topic.get(), unit.getWorkerId(), partitions);
            denials.allowed();
            return renewed;
        } catch (TalosException e) {
            denials.add(e);
            return new GroupMembership.Renewed(
                    true, partitions, e.code() == ErrorCode.TOPIC_NOT_EXIST ? List.of() : partitions);
        }
    }

    /**
     * Returns the live workers of a group on several topics. Each registers with all of them. A worker without locks
     * that is missing from one of them has ended, and expires in the others.
     *
     * @throws TalosException REQUEST_PROCESS_TIMEOUT: the call's deadline passed while they were read
     */
    public TopicsQueryWorkerResponse queryWorkerForTopics(Caller caller, TopicsQueryWorkerRequest request)
            throws MetadataException {
        requireFew(request.getTopicTalosResourceNames().size());
        SortedMap<String, List<TopicAndPartition>> union = new TreeMap<>();
        Map<String, Integer> memberships = new HashMap<>();
        Denials denials = new Denials();
        int topics = 0;
        for (TopicTalosResourceName name : new LinkedHashSet<>(request.getTopicTalosResourceNames())) {
            caller.deadline().require("the topics' workers were read");
            String text = name.getTopicTalosResourceName();
            Optional<SortedMap<String, List<Integer>>> members =
                    members(caller, text, request.getConsumerGroup(), denials);
            topics += members.isPresent() ? 1 : 0;
            members.orElseGet(TreeMap::new).forEach((worker, partitions) -> {
                memberships.merge(worker, 1, Integer::sum);
                List<TopicAndPartition> of = union.computeIfAbsent(worker, each -> new ArrayList<>());
                partitions.forEach(partition -> of.add(struct(text, partition)));
            });
        }
        denials.requireAny();
        int all = topics;
        union.entrySet()
                .removeIf(each -> each.getValue().isEmpty() && memberships.getOrDefault(each.getKey(), 0) < all);
        return new TopicsQueryWorkerResponse(union);
    }

    private Optional<SortedMap<String, List<Integer>>> members(
            Caller caller, String resourceName, String group, Denials denials) throws MetadataException {
        Optional<GroupAccess> topic = existing(caller, resourceName, group, denials);
        if (topic.isEmpty()) {
            return Optional.empty();
        }
        try {
            SortedMap<String, List<Integer>> members = single.members(topic.get(), caller.memory());
            denials.allowed();
            return Optional.of(members);
        } catch (TalosException e) {
            denials.add(e);
            return Optional.empty();
        }
    }

    private Optional<GroupAccess> existing(Caller caller, String resourceName, String group, Denials denials) {
        try {
            return Optional.of(single.readable(caller, new TopicTalosResourceName(resourceName), group));
        } catch (TalosException e) {
            denials.add(e);
            return Optional.empty();
        }
    }

    /** The topics of a call that its caller may use. Confined: one call. */
    private static final class Denials {
        private @Nullable TalosException first;
        private boolean anyAllowed;

        /** Notes why a topic cannot be used: it is denied, or deleted. Anything else is the call's failure. */
        void add(TalosException why) {
            if (why.code() == ErrorCode.PERMISSION_DENIED_ERROR) {
                first = first == null ? why : first;
            } else if (why.code() != ErrorCode.TOPIC_NOT_EXIST) {
                throw why;
            }
        }

        /** Notes that a topic may be used. */
        void allowed() {
            anyAllowed = true;
        }

        /** Throws the denial if there was one and no topic may be used. */
        void requireAny() {
            if (first != null && !anyAllowed) {
                throw first;
            }
        }
    }

    /**
     * Returns the struct as Go builds it, since Go compares fields: the name is the second to last part of the resource
     * name.
     */
    private static TopicAndPartition struct(String resourceName, int partition) {
        String topic = ResourceName.parse(resourceName).orElseThrow().topic();
        return new TopicAndPartition(topic, new TopicTalosResourceName(resourceName), partition);
    }
}
