// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;

/**
 * The rows of one table as records of one type: what all repositories share.
 *
 * <p>Thread-safe.
 */
final class Table<T> {
    private static final int PAGE_ROWS = 1_000;

    private final MetadataStore store;
    private final RowKey all;
    private final RecordCodec<T> codec;

    Table(MetadataStore store, char letter, Class<T> type) {
        this.store = store;
        this.all = RowKey.table(letter);
        this.codec = new RecordCodec<>(type);
    }

    /** The prefix of all keys of the table. */
    RowKey all() {
        return all;
    }

    Optional<Versioned<T>> find(RowKey key) throws MetadataException {
        Optional<Row> row = store.get(key);
        return row.isPresent() ? Optional.of(codec.decode(row.get())) : Optional.empty();
    }

    OptionalLong save(RowKey key, T value, long expectedVersion) throws MetadataException {
        return store.compareAndSet(key, expectedVersion, codec.encode(value));
    }

    boolean delete(RowKey key, long expectedVersion) throws MetadataException {
        return store.compareAndDelete(key, expectedVersion);
    }

    /** Deletes the row, whatever its version, without decoding it. */
    void deleteAny(RowKey key) throws MetadataException {
        Optional<Row> row = store.get(key);
        while (row.isPresent() && !store.compareAndDelete(key, row.get().version())) {
            row = store.get(key);
        }
    }

    /**
     * Deletes all rows whose keys begin with the prefix.
     *
     * @throws MetadataException UNKNOWN once a row is deleted: the rest are still there
     */
    void deleteAll(RowKey prefix) throws MetadataException {
        boolean deleted = false;
        try {
            for (Row row : rows(prefix)) {
                if (!store.compareAndDelete(row.key(), row.version())) {
                    deleteAny(row.key());
                }
                deleted = true;
            }
        } catch (MetadataException e) {
            throw deleted ? new MetadataException(e.reason(), Effect.UNKNOWN, "some of the rows are deleted", e) : e;
        }
    }

    List<KeyedRow<T>> list(RowKey prefix) throws MetadataException {
        List<KeyedRow<T>> found = new ArrayList<>();
        for (Row row : rows(prefix)) {
            found.add(new KeyedRow<>(row.key(), codec.decode(row)));
        }
        return found;
    }

    /** The first rows whose keys begin with the prefix. */
    List<KeyedRow<T>> first(RowKey prefix, int most) throws MetadataException {
        List<KeyedRow<T>> found = new ArrayList<>();
        for (Row row : store.scan(prefix, most)) {
            found.add(new KeyedRow<>(row.key(), codec.decode(row)));
        }
        return found;
    }

    /** The first rows of the table after a key, which need not be there. */
    List<KeyedRow<T>> listAfter(RowKey after, int most) throws MetadataException {
        List<KeyedRow<T>> found = new ArrayList<>();
        for (Row row : store.scanAfter(all, after, most)) {
            found.add(new KeyedRow<>(row.key(), codec.decode(row)));
        }
        return found;
    }

    /**
     * Like {@link #list(RowKey)}, but rows that can't be decoded stop nothing: they are handed over with the reason.
     */
    void list(RowKey prefix, Consumer<KeyedRow<T>> found, BiConsumer<RowKey, MetadataException> unreadable)
            throws MetadataException {
        for (Row row : rows(prefix)) {
            try {
                found.accept(new KeyedRow<>(row.key(), codec.decode(row)));
            } catch (MetadataException e) {
                unreadable.accept(row.key(), e);
            }
        }
    }

    private List<Row> rows(RowKey prefix) throws MetadataException {
        List<Row> page = store.scan(prefix, PAGE_ROWS);
        List<Row> rows = new ArrayList<>(page);
        while (page.size() == PAGE_ROWS) {
            page = store.scanAfter(prefix, page.get(PAGE_ROWS - 1).key(), PAGE_ROWS);
            rows.addAll(page);
        }
        return rows;
    }

    /** A record and its key. Immutable. */
    record KeyedRow<T>(RowKey key, Versioned<T> row) {}
}
