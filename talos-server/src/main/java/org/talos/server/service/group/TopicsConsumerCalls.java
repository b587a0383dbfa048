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
import org.talos.common.error.TalosException;
import org.talos.common.name.ResourceName;
import org.talos.server.metadata.MetadataException;
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
 * The calls of consumers that read several topics at once. A topic deleted meanwhile does not affect the others: its
 * partitions count as lost, and it has no workers.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class TopicsConsumerCalls {
    private final ConsumerCalls single;

    public TopicsConsumerCalls(ConsumerCalls single) {
        this.single = single;
    }

    /** Registers a worker for several topics, after all of them have been checked. */
    public TopicsLockWorkerResponse lockWorkerForTopics(Caller caller, TopicsLockWorkerRequest request)
            throws MetadataException {
        ConsumerCalls.requireWorker(request.getWorkerId());
        Set<GroupAccess> topics = new LinkedHashSet<>();
        for (TopicTalosResourceName name : request.getTopics()) {
            topics.add(single.readable(caller, name, request.getConsumerGroup()));
        }
        for (GroupAccess topic : topics) {
            single.requireMayUse(topic, request.getWorkerId());
        }
        for (GroupAccess topic : topics) {
            single.register(topic, request.getWorkerId());
        }
        return new TopicsLockWorkerResponse(true);
    }

    /**
     * Renews a worker's locks of several topics; answers the partitions that it has lost. The Go SDK goes on reading
     * those: it gives up everything if told that its heartbeat failed, and nothing else keeps two from reading one
     * partition. A client that knows {@code recorded} goes by that.
     */
    public TopicsRenewResponse renewForTopics(Caller caller, TopicsRenewRequest request) throws MetadataException {
        TopicsConsumeUnit unit = request.getConsumeUnit();
        ConsumerCalls.requireWorker(unit.getWorkerId());
        unit.getTopicPartitions().values().forEach(ConsumerCalls::requireFew);
        List<TopicAndPartition> lost = new ArrayList<>();
        boolean member = true;
        boolean own = true;
        for (Map.Entry<String, List<Integer>> held : unit.getTopicPartitions().entrySet()) {
            GroupMembership.Renewed renewed = renew(caller, unit, held.getKey(), held.getValue());
            member &= renewed.member();
            own &= renewed.foreign().isEmpty();
            renewed.lost().forEach(partition -> lost.add(struct(held.getKey(), partition)));
        }
        TopicsRenewResponse answer = new TopicsRenewResponse(member && own, lost);
        return own ? answer : answer.setRecorded(member);
    }

    private GroupMembership.Renewed renew(
            Caller caller, TopicsConsumeUnit unit, String resourceName, List<Integer> partitions)
            throws MetadataException {
        Optional<GroupAccess> topic = existing(caller, resourceName, unit.getConsumerGroup());
        return topic.isPresent()
                ? single.renew(topic.get(), unit.getWorkerId(), partitions)
                : new GroupMembership.Renewed(true, partitions, List.of());
    }

    /**
     * The live workers of a group on several topics. Each registers with all of them: who holds nothing and is missing
     * from one of them has ended, and expires in the others.
     */
    public TopicsQueryWorkerResponse queryWorkerForTopics(Caller caller, TopicsQueryWorkerRequest request)
            throws MetadataException {
        SortedMap<String, List<TopicAndPartition>> union = new TreeMap<>();
        Map<String, Integer> memberships = new HashMap<>();
        int topics = 0;
        for (TopicTalosResourceName name : new LinkedHashSet<>(request.getTopicTalosResourceNames())) {
            String text = name.getTopicTalosResourceName();
            Optional<GroupAccess> topic = existing(caller, text, request.getConsumerGroup());
            if (topic.isPresent()) {
                topics++;
                single.members(topic.get()).forEach((worker, partitions) -> {
                    memberships.merge(worker, 1, Integer::sum);
                    List<TopicAndPartition> of = union.computeIfAbsent(worker, each -> new ArrayList<>());
                    partitions.forEach(partition -> of.add(struct(text, partition)));
                });
            }
        }
        int all = topics;
        union.entrySet()
                .removeIf(each -> each.getValue().isEmpty() && memberships.getOrDefault(each.getKey(), 0) < all);
        return new TopicsQueryWorkerResponse(union);
    }

    private Optional<GroupAccess> existing(Caller caller, String resourceName, String group) {
        try {
            return Optional.of(single.readable(caller, new TopicTalosResourceName(resourceName), group));
        } catch (TalosException e) {
            if (e.code() == ErrorCode.TOPIC_NOT_EXIST) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** As Go builds it, which compares field by field: the name is the resource name's last part but one. */
    private static TopicAndPartition struct(String resourceName, int partition) {
        String topic = ResourceName.parse(resourceName).orElseThrow().topic();
        return new TopicAndPartition(topic, new TopicTalosResourceName(resourceName), partition);
    }
}
