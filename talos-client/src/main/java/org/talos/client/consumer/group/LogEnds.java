// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The begins and ends of partitions' logs, as last reported by servers. Old values are refreshed in the background when
 * the program reads them, so a program that never reads them causes no call.
 *
 * <p>Thread-safe.
 */
public final class LogEnds {
    private static final Logger LOG = LoggerFactory.getLogger(LogEnds.class);
    private static final Duration AGE = Duration.ofSeconds(5);

    private final ClientCalls calls;
    private final GroupCalls group;
    private final Map<String, Long> askedAtNanos = new ConcurrentHashMap<>(); // by resource names
    private final Map<PartitionRef, Bounds> known = new ConcurrentHashMap<>();

    /**
     * The bounds of a log. Immutable.
     *
     * @param start offset of the oldest message
     * @param end one past the newest message
     */
    private record Bounds(long start, long end) {}

    /** @param group notified of answers */
    public LogEnds(ClientCalls calls, GroupCalls group) {
        this.calls = calls;
        this.group = group;
    }

    /** Queries the partitions of topics that were not queried within 5 s; does not wait for the answers. */
    public void refresh(Collection<TopicRef> topics) {
        for (TopicRef topic : topics) {
            Long now = calls.nanos();
            Long asked = askedAtNanos.merge(
                    topic.resourceName(), now, (before, later) -> later - before >= AGE.toNanos() ? later : before);
            if (now.equals(asked)) {
                ask(topic);
            }
        }
    }

    private void ask(TopicRef topic) {
        RemoteCall<GetTopicOffsetResponse> asked = RemoteCall.of(
                Service.MESSAGE,
                "getTopicOffset",
                new GetTopicOffsetRequest(new TopicTalosResourceName(topic.resourceName())),
                GetTopicOffsetResponse::new,
                Effect.NONE);
        var unused = calls.send(asked).whenComplete((answer, thrown) -> {
            if (answer != null) {
                group.answered();
                answer.getOffsetInfoList().forEach(each -> learn(topic, each));
            } else {
                LOG.debug("the ends of a topic are not known topic={}", topic.name(), thrown);
            }
        });
    }

    private void learn(TopicRef topic, OffsetInfo info) {
        if (info.getErrorCode() == null) { // otherwise the last answer is kept
            known.put(
                    topic.partition(info.getPartitionId()),
                    new Bounds(Math.max(0, info.getStartOffset()), info.getEndOffset() + 1));
        }
    }

    /**
     * Returns the number of messages from an offset on. Those that have expired are not counted.
     *
     * @param position may be before the oldest message, also below 0
     * @return empty while the partition's end is unknown
     */
    public OptionalLong behind(PartitionRef partition, long position) {
        Bounds bounds = known.get(partition);
        return bounds == null
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, bounds.end - Math.max(position, bounds.start)));
    }
}
