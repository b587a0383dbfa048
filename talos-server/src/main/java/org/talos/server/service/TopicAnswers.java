// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.TopicRecord;
import org.talos.server.partition.PartitionManager;
import org.talos.server.storage.LogId;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.PartitionState;
import org.talos.thrift.Topic;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicOwnerInfo;
import org.talos.thrift.TopicState;
import org.talos.thrift.TopicStatus;
import org.talos.thrift.TopicTalosResourceName;

/** Topics as the wire has them. Thread-safe; looks at memory only. */
final class TopicAnswers {
    private final PartitionManager partitions;

    TopicAnswers(PartitionManager partitions) {
        this.partitions = partitions;
    }

    static TopicTalosResourceName resourceName(TopicRecord topic) {
        return new TopicTalosResourceName(topic.resourceName());
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

    static TopicAttribute attribute(TopicRecord topic) {
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(topic.partitions());
        attribute.setMessageRetentionSecs(topic.retentionSeconds());
        attribute.setAttributes(topic.attributes());
        if (topic.oldPartitions() != topic.partitions()) {
            attribute.setOldPartitionNumber(topic.oldPartitions());
        }
        return attribute;
    }

    /** Nothing limits a topic yet; the contract wants a number. */
    static BaseQuota noQuota() {
        return new BaseQuota(Long.MAX_VALUE);
    }

    static Map<String, Integer> acl(TopicRecord topic) {
        Map<String, Integer> acl = new HashMap<>(topic.acl());
        acl.put(topic.owner(), Permissions.ALL);
        return acl;
    }

    DescribeTopicResponse description(TopicRecord topic) {
        return new DescribeTopicResponse(info(topic), attribute(topic), state(topic), noQuota(), acl(topic));
    }

    Topic topic(TopicRecord topic) {
        Topic whole = new Topic(info(topic), attribute(topic), state(topic));
        whole.setTopicQuota(noQuota());
        whole.setTopicAcl(acl(topic));
        return whole;
    }

    private TopicState state(TopicRecord topic) {
        List<PartitionState> states = new ArrayList<>();
        long messages = 0;
        long bytes = 0;
        long everPut = 0;
        for (int number = 0; number < topic.partitions(); number++) {
            PartitionState state = state(new LogId(topic.topicId(), number));
            messages += state.getMessageNumber();
            bytes += state.getMessageBytes();
            everPut += state.getTotalMessageNumber();
            states.add(state);
        }
        TopicState state = new TopicState(topic.createTimestamp(), TopicStatus.ACTIVE, messages, bytes, states);
        state.setTotalMessageNumber(everPut);
        return state;
    }

    /** A partition that is not served now counts as empty here: the description is of the topic. */
    private PartitionState state(LogId id) {
        try {
            PartitionLog log = partitions.partition(id).log();
            long start = log.startOffset();
            long end = log.durableEnd();
            PartitionState state = new PartitionState(id.partition(), start, end - 1, end - start, log.bytes());
            state.setTotalMessageNumber(end);
            return state;
        } catch (TalosException e) {
            PartitionState state = new PartitionState(id.partition(), 0, -1, 0, 0);
            state.setTotalMessageNumber(0);
            return state;
        }
    }
}
