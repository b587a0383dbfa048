// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The topics' rows, and the tombstones of deleted topics whose data is not deleted yet. A delete writes the tombstone
 * first: from then on the topic will be deleted, by {@link #finishDeletes} if the server dies in between, and so will
 * its data.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Topics {
    public static final char TABLE = 't';

    private final Table<TopicRecord> topics;
    private final Table<DeletedTopic> tombstones;

    /** The topics' rows in this store. */
    public Topics(MetadataStore store) {
        this.topics = new Table<>(store, TABLE, TopicRecord.class);
        this.tombstones = new Table<>(store, 'd', DeletedTopic.class);
    }

    /** The topic of that name. */
    public Optional<Versioned<TopicRecord>> find(String name) throws MetadataException {
        return topics.find(key(name));
    }

    /** Writes a new topic; empty if its name is taken. */
    public OptionalLong create(TopicRecord topic) throws MetadataException {
        return topics.save(key(topic.name()), topic, 0);
    }

    /** Writes a topic's row if it has the expected version; returns its new version, or empty. */
    public OptionalLong update(TopicRecord topic, long expectedVersion) throws MetadataException {
        return topics.save(key(topic.name()), topic, expectedVersion);
    }

    /**
     * Deletes the topic of this id, whatever its version; false if there is none.
     *
     * @throws MetadataException UNKNOWN from the tombstone on: the topic will be deleted, sooner or later
     */
    public boolean delete(TopicRecord topic) throws MetadataException {
        Optional<Versioned<TopicRecord>> row = find(topic.name());
        if (row.isEmpty() || !row.get().value().topicId().equals(topic.topicId())) {
            return false;
        }
        bury(row.get());
        return true;
    }

    /**
     * Writes the tombstone, then deletes the row. A topic that grows between the two is buried again: partitions that
     * no tombstone counts would be left forever.
     */
    private void bury(Versioned<TopicRecord> found) throws MetadataException {
        String name = found.value().name();
        String topicId = found.value().topicId();
        Optional<Versioned<TopicRecord>> row = Optional.of(found);
        Optional<Versioned<DeletedTopic>> there = tombstones.find(tombstone(topicId));
        boolean buried = there.isPresent(); // an earlier delete has got this far
        try {
            while (row.isPresent() && row.get().value().topicId().equals(topicId)) {
                writeTombstone(row.get().value(), there);
                buried = true;
                if (topics.delete(key(name), row.get().version())) {
                    return;
                }
                row = find(name);
                there = tombstones.find(tombstone(topicId));
            }
        } catch (MetadataException e) {
            throw buried ? new MetadataException(e.reason(), Effect.UNKNOWN, "the topic is being deleted", e) : e;
        }
    }

    /** Writes a tombstone that counts all partitions, unless there is such a one. */
    private void writeTombstone(TopicRecord topic, Optional<Versioned<DeletedTopic>> found) throws MetadataException {
        RowKey key = tombstone(topic.topicId());
        int partitions = Math.max(topic.partitions(), topic.oldPartitions());
        DeletedTopic whole = new DeletedTopic(topic.topicId(), topic.name(), partitions);
        Optional<Versioned<DeletedTopic>> there = found;
        while ((there.isEmpty() || there.get().value().partitions() < partitions)
                && tombstones
                        .save(key, whole, there.map(Versioned::version).orElse(0L))
                        .isEmpty()) {
            there = tombstones.find(key);
        }
    }

    /** Completes the deletes that a dead server has begun; to be called before the topics are served. */
    public void finishDeletes() throws MetadataException {
        for (DeletedTopic deleted : tombstones()) {
            finishDelete(deleted);
        }
    }

    /** Completes a delete of which only the tombstone may have been written. */
    public void finishDelete(DeletedTopic deleted) throws MetadataException {
        Optional<Versioned<TopicRecord>> row = find(deleted.name());
        if (row.isPresent() && row.get().value().topicId().equals(deleted.topicId())) {
            bury(row.get());
        }
    }

    /** All topics, ordered by name. */
    public List<Versioned<TopicRecord>> list() throws MetadataException {
        return values(topics);
    }

    /**
     * Passes all topics to a consumer one after another, ordered by name. Unreadable rows do not stop the listing.
     *
     * @param unreadable takes the name of a topic whose row is unreadable, and the reason
     */
    public void forEach(Consumer<TopicRecord> found, BiConsumer<String, MetadataException> unreadable)
            throws MetadataException {
        topics.list(
                topics.all(),
                each -> found.accept(each.row().value()),
                (key, why) -> unreadable.accept(key.text(0), why));
    }

    /**
     * All topics' rows, also if some cannot be read. Immutable.
     *
     * @param unreadable why each unreadable row cannot be read, by the topic's name
     */
    public record Listing(List<Versioned<TopicRecord>> topics, SortedMap<String, MetadataException> unreadable) {
        public Listing {
            topics = List.copyOf(topics);
            unreadable = Collections.unmodifiableSortedMap(new TreeMap<>(unreadable));
        }
    }

    /** All topics, ordered by name, and the names of topics with unreadable rows. */
    public Listing listing() throws MetadataException {
        List<Versioned<TopicRecord>> readable = new ArrayList<>();
        SortedMap<String, MetadataException> unreadable = new TreeMap<>();
        topics.list(topics.all(), found -> readable.add(found.row()), (key, why) -> unreadable.put(key.text(0), why));
        return new Listing(readable, unreadable);
    }

    /** The deleted topics whose data may not be deleted yet. */
    public List<DeletedTopic> tombstones() throws MetadataException {
        return values(tombstones).stream().map(Versioned::value).toList();
    }

    /** Returns the tombstone of a topic; empty if there is none, as the topic exists or its data is gone. */
    public Optional<DeletedTopic> deleted(String topicId) throws MetadataException {
        return tombstones.find(tombstone(topicId)).map(Versioned::value);
    }

    /** Deletes a topic's tombstone, once its data is deleted. */
    public void removeTombstone(String topicId) throws MetadataException {
        tombstones.deleteAny(tombstone(topicId));
    }

    private RowKey key(String name) {
        return topics.all().and(name);
    }

    private RowKey tombstone(String topicId) {
        return tombstones.all().and(topicId);
    }

    private static <T> List<Versioned<T>> values(Table<T> table) throws MetadataException {
        List<Versioned<T>> values = new ArrayList<>();
        for (Table.KeyedRow<T> found : table.list(table.all())) {
            values.add(found.row());
        }
        return values;
    }
}
