// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;

/**
 * The committed offsets' rows: one for each group and partition. They outlive the group's workers and locks.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Offsets {
    private final Table<CommittedOffset> table;

    /** The offsets' rows in this store. */
    public Offsets(MetadataStore store) {
        this.table = new Table<>(store, 'o', CommittedOffset.class);
    }

    /** The group's offset in the partition; empty if it never committed. */
    public Optional<Versioned<CommittedOffset>> find(String topicId, String group, int partition)
            throws MetadataException {
        return table.find(key(topicId, group).and(partition));
    }

    /** Writes the row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(String topicId, String group, int partition, CommittedOffset value, long expectedVersion)
            throws MetadataException {
        return table.save(key(topicId, group).and(partition), value, expectedVersion);
    }

    /** The group's offsets by partition. */
    public SortedMap<Integer, Versioned<CommittedOffset>> list(String topicId, String group) throws MetadataException {
        SortedMap<Integer, Versioned<CommittedOffset>> offsets = new TreeMap<>();
        for (Table.KeyedRow<CommittedOffset> found : table.list(key(topicId, group))) {
            offsets.put(found.key().number(2), found.row());
        }
        return offsets;
    }

    /** The groups that have committed in the topic. */
    public Set<String> groups(String topicId) throws MetadataException {
        Set<String> groups = new LinkedHashSet<>();
        for (Table.KeyedRow<CommittedOffset> found : table.list(table.all().and(topicId))) {
            groups.add(found.key().text(1));
        }
        return groups;
    }

    /** Deletes the offsets of all groups in the topic. */
    public void deleteAll(String topicId) throws MetadataException {
        table.deleteAll(table.all().and(topicId));
    }

    /** Deletes the group's offsets in the topic. */
    public void deleteAll(String topicId, String group) throws MetadataException {
        table.deleteAll(key(topicId, group));
    }

    private RowKey key(String topicId, String group) {
        return table.all().and(topicId).and(group);
    }
}
