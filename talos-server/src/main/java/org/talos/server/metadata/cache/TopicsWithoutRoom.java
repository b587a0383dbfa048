// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.topic.TopicRecord;

/**
 * The stored topics without room in memory, as far as their partitions need them: a partition of this server must be
 * kept, and its messages deleted, as its topic says. Permissions and users' attributes are left out.
 *
 * <p>A topic takes about 400 bytes of heap here, and its names. A topic that exceeds the limit is left out:
 * {@link #isIncomplete} says that a topic that is not here may be stored. New topics are refused at an eighth of the
 * heap, at 1 KiB each and more. So only a server with about six times this heap can create so many.
 *
 * <p>Thread-safe. The caller holds the lock of the name that it changes.
 */
final class TopicsWithoutRoom {
    private static final int TOPIC_BYTES = 512; // with its places in maps

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private volatile boolean incomplete;
    private final ConcurrentMap<String, TopicRecord> byName = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TopicRecord> byId = new ConcurrentHashMap<>();

    /** Keeps topics of about this number of bytes at most. */
    TopicsWithoutRoom(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Adds or replaces the topic of a name. Leaves out a new one that exceeds the limit. */
    void put(TopicRecord topic) {
        TopicRecord bare = bare(topic);
        if (!byName.containsKey(topic.name()) && !hasRoom(bare)) {
            incomplete = true;
            return;
        }
        usedBytes.addAndGet(bytes(bare));
        byId.put(topic.topicId(), bare);
        @Nullable TopicRecord before = byName.put(topic.name(), bare);
        if (before == null) {
            return;
        }
        usedBytes.addAndGet(-bytes(before));
        if (!before.topicId().equals(topic.topicId())) {
            byId.remove(before.topicId());
        }
    }

    private boolean hasRoom(TopicRecord bare) {
        return usedBytes.get() + bytes(bare) <= limitBytes;
    }

    private static long bytes(TopicRecord bare) {
        long characters = bare.name().length() + (long) bare.owner().length();
        for (Map.Entry<String, String> each : bare.attributes().entrySet()) {
            characters += each.getKey().length() + (long) each.getValue().length();
        }
        return TOPIC_BYTES + Character.BYTES * characters;
    }

    /** Returns whether topics were left out since the start. */
    boolean isIncomplete() {
        return incomplete;
    }

    /** Returns the topic without the parts that its partitions do not need. */
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
            usedBytes.addAndGet(-bytes(removed));
            byId.remove(removed.topicId());
        }
        return removed != null;
    }

    /** Returns whether the topic is here as its row has it, or is still to be left out. */
    boolean isCurrent(TopicRecord topic) {
        TopicRecord bare = bare(topic);
        @Nullable TopicRecord known = byName.get(topic.name());
        return known == null ? incomplete && !hasRoom(bare) : known.equals(bare);
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
