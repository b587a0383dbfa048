// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.storage.LogId;

/** The bounds of partitions that other servers serve, as of their last answers. Thread-safe. */
final class OthersBounds {
    private final Map<LogId, SeenBounds> known = new ConcurrentHashMap<>();

    @Nullable
    SeenBounds find(LogId id) {
        return known.get(id);
    }

    /**
     * Notes the answers of some servers; a server that has not answered may still serve the same partitions as before.
     *
     * @param nanos when they answered, of the monotonic clock
     */
    void add(Map<LogId, LogBounds> found, long nanos) {
        found.forEach((id, bounds) -> known.put(id, new SeenBounds(bounds, nanos)));
    }

    /**
     * Notes the served partitions of some topics; their other partitions are no longer served anywhere else. Forgets
     * deleted topics.
     *
     * @param nanos when the servers answered, of the monotonic clock
     */
    void replace(Collection<TopicRecord> asked, Map<LogId, LogBounds> found, Collection<TopicRecord> all, long nanos) {
        Set<String> replaced = ids(asked);
        Set<String> there = ids(all);
        known.keySet().removeIf(id -> {
            boolean rest = replaced.contains(id.topicId()) && !found.containsKey(id);
            return rest || !there.contains(id.topicId());
        });
        add(found, nanos);
    }

    private static Set<String> ids(Collection<TopicRecord> topics) {
        return topics.stream().map(TopicRecord::topicId).collect(Collectors.toSet());
    }
}
