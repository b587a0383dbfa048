// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.TopicRecord;

/**
 * The stored topics that have no room in memory, as far as their partitions need them: a partition that this server has
 * must be kept, and its messages deleted, as its topic says. Permissions and what users write are left out.
 *
 * <p>Thread-safe. The caller holds the lock of the name that it changes.
 */
final class TopicsWithoutRoom {
    private final ConcurrentMap<String, TopicRecord> byName = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TopicRecord> byId = new ConcurrentHashMap<>();

    /** Adds or replaces the topic of a name. */
    void put(TopicRecord topic) {
        TopicRecord bare = bare(topic);
        byId.put(topic.topicId(), bare);
        @Nullable TopicRecord before = byName.put(topic.name(), bare);
        if (before != null && !before.topicId().equals(topic.topicId())) {
            byId.remove(before.topicId());
        }
    }

    /** Returns the topic without what its partitions do not need. */
    private static TopicRecord bare(TopicRecord topic) {
        return topic.withAttributes(TopicDirectory.own(topic))
                .withAcl(Map.of())
                .withSubResources(List.of())
                .withOwnerInfo(null, null);
    }

    /** Removes the topic of a name. Returns whether there was one. */
    boolean remove(String name) {
        @Nullable TopicRecord removed = byName.remove(name);
        if (removed != null) {
            byId.remove(removed.topicId());
        }
        return removed != null;
    }

    /** Returns whether the topic is here as its row has it. */
    boolean has(TopicRecord topic) {
        return bare(topic).equals(byName.get(topic.name()));
    }

    Optional<TopicRecord> byId(String topicId) {
        return Optional.ofNullable(byId.get(topicId));
    }

    Set<String> names() {
        return byName.keySet();
    }

    /** Returns a copy of all topics by name. */
    Map<String, TopicRecord> all() {
        return new HashMap<>(byName);
    }
}
