// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;

/**
 * The topic groups' rows.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class TopicGroups {
    private final Table<TopicGroupRecord> table;

    /** The topic groups' rows in this store. */
    public TopicGroups(MetadataStore store) {
        this.table = new Table<>(store, 'c', TopicGroupRecord.class);
    }

    /** The topic group of that name. */
    public Optional<Versioned<TopicGroupRecord>> find(String name) throws MetadataException {
        return table.find(key(name));
    }

    /** Writes the row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(TopicGroupRecord group, long expectedVersion) throws MetadataException {
        return table.save(key(group.name()), group, expectedVersion);
    }

    /** Deletes the row if it has the expected version, else returns false. */
    public boolean delete(String name, long expectedVersion) throws MetadataException {
        return table.delete(key(name), expectedVersion);
    }

    /** All topic groups. */
    public List<TopicGroupRecord> list() throws MetadataException {
        return table.list(table.all()).stream()
                .map(found -> found.row().value())
                .toList();
    }

    private RowKey key(String name) {
        return table.all().and(name);
    }
}
