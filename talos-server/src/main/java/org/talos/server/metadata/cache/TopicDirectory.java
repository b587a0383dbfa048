// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.DeletedTopic;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.metadata.rows.Topics;
import org.talos.server.metadata.rows.Versioned;

/**
 * All topics in memory, so that no put or get asks the store: read at start, written through on each change, and read
 * again now and then if other servers change them too.
 *
 * <p>A lookup sees a change once the store has it. After a write whose effect is unknown the store is asked again; if
 * that fails too, lookups go on with what they had until the topic changes or all are read again.
 *
 * <p>Thread-safe. Lookups never wait; changes block, one after another for a name.
 */
public final class TopicDirectory {
    private static final int STRIPES = 64;

    private final Topics topics;
    private final ConcurrentMap<String, TopicRecord> byName = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TopicRecord> byId = new ConcurrentHashMap<>();
    private final Object learning = new Object();
    private final Object[] stripes = Stream.generate(Object::new).limit(STRIPES).toArray();

    private TopicDirectory(Topics topics) {
        this.topics = topics;
    }

    /** Ends unfinished deletes, then reads all topics. */
    public static TopicDirectory load(Topics topics) throws MetadataException {
        topics.finishDeletes();
        TopicDirectory directory = new TopicDirectory(topics);
        for (Versioned<TopicRecord> topic : topics.list()) {
            directory.show(topic.value());
        }
        return directory;
    }

    /** The topic that has this name now. */
    public Optional<TopicRecord> byName(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The topic with this id. */
    public Optional<TopicRecord> byId(String topicId) {
        return Optional.ofNullable(byId.get(topicId));
    }

    /** The topic with exactly this resource name, {@code owner#name#topicId}; empty for that of an earlier topic. */
    public Optional<TopicRecord> byResourceName(String resourceName) {
        return byId(resourceName.substring(resourceName.lastIndexOf('#') + 1))
                .filter(topic -> topic.resourceName().equals(resourceName));
    }

    /** All topics, in no order. */
    public Collection<TopicRecord> all() {
        return List.copyOf(byName.values());
    }

    /** Stores a new topic; false if its name is taken. */
    public boolean create(TopicRecord topic) throws MetadataException {
        synchronized (stripe(topic.name())) {
            try {
                OptionalLong version = topics.create(topic);
                if (version.isPresent()) {
                    show(topic);
                } else {
                    refresh(topic.name());
                }
                return version.isPresent();
            } catch (MetadataException e) {
                throw uncertain(topic.name(), e);
            }
        }
    }

    /**
     * Changes a topic. The change may be asked for again if another server was faster; what it throws leaves the topic
     * as it was. Name, id and owner stay.
     *
     * @return the topic as it is now, or empty if it is gone
     */
    public Optional<TopicRecord> update(String topicId, UnaryOperator<TopicRecord> change) throws MetadataException {
        @Nullable TopicRecord known = byId.get(topicId);
        if (known == null) {
            return Optional.empty();
        }
        synchronized (stripe(known.name())) {
            try {
                return change(known, change);
            } catch (MetadataException e) {
                throw uncertain(known.name(), e);
            }
        }
    }

    private Optional<TopicRecord> change(TopicRecord known, UnaryOperator<TopicRecord> change)
            throws MetadataException {
        while (true) {
            Optional<Versioned<TopicRecord>> row = topics.find(known.name())
                    .filter(found -> found.value().topicId().equals(known.topicId()));
            if (row.isEmpty()) {
                refresh(known.name());
                return Optional.empty();
            }
            TopicRecord changed = change.apply(row.get().value());
            if (!changed.resourceName().equals(known.resourceName())) {
                throw new IllegalArgumentException("a change may not rename " + known.resourceName());
            }
            if (topics.update(changed, row.get().version()).isPresent()) {
                show(changed);
                return Optional.of(changed);
            }
        }
    }

    /** Takes over what other servers have changed. */
    public void refresh() throws MetadataException {
        Map<String, TopicRecord> stored = new HashMap<>();
        for (Versioned<TopicRecord> topic : topics.list()) {
            stored.put(topic.value().name(), topic.value());
        }
        Set<String> names = new HashSet<>(byName.keySet());
        names.addAll(stored.keySet());
        for (String name : names) {
            if (!Objects.equals(stored.get(name), byName.get(name))) {
                synchronized (stripe(name)) {
                    refresh(name); // and not what was listed: this server may have changed it since
                }
            }
        }
    }

    /** Reads all again if there is no topic with this id: another server may just have made it. */
    public void learn(String topicId) throws MetadataException {
        synchronized (learning) { // who waits finds that it has been learnt
            if (!byId.containsKey(topicId)) {
                refresh();
            }
        }
    }

    /** Deletes a topic, leaving a tombstone for its data; false if there is none. */
    public boolean delete(String topicId) throws MetadataException {
        @Nullable TopicRecord known = byId.get(topicId);
        if (known == null) {
            return false;
        }
        synchronized (stripe(known.name())) {
            try {
                boolean deleted = topics.delete(known);
                refresh(known.name());
                return deleted;
            } catch (MetadataException e) {
                throw uncertain(known.name(), e);
            }
        }
    }

    /** The deleted topics whose data may be swept: none of them is served any more. */
    public List<DeletedTopic> tombstones() throws MetadataException {
        List<DeletedTopic> tombstones = topics.tombstones();
        for (DeletedTopic deleted : tombstones) {
            delete(deleted.topicId()); // finds something only where an earlier delete stopped half-way
        }
        return tombstones;
    }

    private Object stripe(String name) {
        return stripes[Math.floorMod(name.hashCode(), STRIPES)];
    }

    private MetadataException uncertain(String name, MetadataException failure) {
        if (failure.effect() != Effect.NONE) {
            try {
                refresh(name);
            } catch (MetadataException e) {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }

    /** Takes what the store has under the name. Under the name's lock. */
    private void refresh(String name) throws MetadataException {
        Optional<Versioned<TopicRecord>> row = topics.find(name);
        if (row.isPresent()) {
            show(row.get().value());
            return;
        }
        @Nullable TopicRecord gone = byName.remove(name);
        if (gone != null) {
            byId.remove(gone.topicId());
        }
    }

    /** Under the name's lock. */
    private void show(TopicRecord topic) {
        byId.put(topic.topicId(), topic);
        @Nullable TopicRecord before = byName.put(topic.name(), topic);
        if (before != null && !before.topicId().equals(topic.topicId())) {
            byId.remove(before.topicId());
        }
    }
}
