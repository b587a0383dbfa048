// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;

/**
 * The topics' rows, and the tombstones of deleted topics whose data is not gone yet. Deleting starts with the
 * tombstone: once that stands the topic will go, by {@link #finishDeletes} if the server dies in between, and its data
 * is never forgotten.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Topics {
    public static final char TABLE = 't';

    private final Table<TopicRecord> topics;
    private final Table<DeletedTopic> tombstones;

    /** The topics in this store. */
    public Topics(MetadataStore store) {
        this.topics = new Table<>(store, TABLE, TopicRecord.class);
        this.tombstones = new Table<>(store, 'd', DeletedTopic.class);
    }

    /** The topic of that name. */
    public Optional<Versioned<TopicRecord>> find(String name) throws MetadataException {
        return topics.find(key(name));
    }

    /** Stores a new topic; empty if its name is taken. */
    public OptionalLong create(TopicRecord topic) throws MetadataException {
        return topics.save(key(topic.name()), topic, 0);
    }

    /** Replaces a topic's row; empty if it is no longer at that version. */
    public OptionalLong update(TopicRecord topic, long expectedVersion) throws MetadataException {
        return topics.save(key(topic.name()), topic, expectedVersion);
    }

    /** Deletes the topic with this topic's id, changed meanwhile or not; false if there is none. */
    public boolean delete(TopicRecord topic) throws MetadataException {
        Optional<Versioned<TopicRecord>> row = find(topic.name());
        if (row.isEmpty() || !row.get().value().topicId().equals(topic.topicId())) {
            return false;
        }
        bury(row.get().value());
        deleteRow(topic.name(), topic.topicId());
        return true;
    }

    private void bury(TopicRecord topic) throws MetadataException {
        int partitions = Math.max(topic.partitions(), topic.oldPartitions());
        // Lost to a tombstone that stands there already: an earlier delete got as far as here.
        tombstones.save(tombstone(topic.topicId()), new DeletedTopic(topic.topicId(), topic.name(), partitions), 0);
    }

    private void deleteRow(String name, String topicId) throws MetadataException {
        Optional<Versioned<TopicRecord>> row = find(name);
        while (row.isPresent()
                && row.get().value().topicId().equals(topicId)
                && !topics.delete(key(name), row.get().version())) {
            row = find(name);
        }
    }

    /** Ends the deletes that a dead server has begun: to be called before the topics are listed for service. */
    public void finishDeletes() throws MetadataException {
        for (DeletedTopic deleted : tombstones()) {
            deleteRow(deleted.name(), deleted.topicId());
        }
    }

    /** All topics, by name. */
    public List<Versioned<TopicRecord>> list() throws MetadataException {
        return values(topics);
    }

    /** The deleted topics whose data may still be there. */
    public List<DeletedTopic> tombstones() throws MetadataException {
        return values(tombstones).stream().map(Versioned::value).toList();
    }

    /** Forgets a deleted topic: its data is gone. */
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
        for (Table.Found<T> found : table.list(table.all())) {
            values.add(found.row());
        }
        return values;
    }
}
