// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The topic groups' rows.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class TopicGroups {
    private static final int PAGE_ROWS = 50;

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

    /** The topic groups that are wanted. Of others a few at a time are in memory: one may have thousands of names. */
    public List<TopicGroupRecord> list(Predicate<TopicGroupRecord> wanted) throws MetadataException {
        List<TopicGroupRecord> found = new ArrayList<>();
        forEach(group -> {
            if (wanted.test(group)) {
                found.add(group);
            }
        });
        return found;
    }

    /** Returns the number of topic groups that pass the test, without keeping them. */
    public int count(Predicate<TopicGroupRecord> wanted) throws MetadataException {
        AtomicInteger found = new AtomicInteger();
        forEach(group -> {
            if (wanted.test(group)) {
                found.incrementAndGet();
            }
        });
        return found.get();
    }

    private void forEach(Consumer<TopicGroupRecord> each) throws MetadataException {
        RowKey after = table.all();
        List<Table.KeyedRow<TopicGroupRecord>> page;
        do {
            page = table.listAfter(after, PAGE_ROWS);
            for (Table.KeyedRow<TopicGroupRecord> row : page) {
                after = row.key();
                each.accept(row.row().value());
            }
        } while (page.size() == PAGE_ROWS);
    }

    private RowKey key(String name) {
        return table.all().and(name);
    }
}
