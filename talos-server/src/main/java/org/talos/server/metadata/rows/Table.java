// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;

/**
 * The rows of one table as records of one type: the common part of all repositories.
 *
 * <p>Thread-safe.
 */
public final class Table<T> {
    private static final int MOST_PAGE_ROWS = 1_000;
    private static final int FIRST_PAGE_ROWS = 32;
    private static final long PAGE_BYTES = 4L << 20;

    private final MetadataStore store;
    private final RowKey all;
    private final RecordCodec<T> codec;

    /** The table of a letter, whose rows have never changed. */
    public Table(MetadataStore store, char letter, Class<T> type) {
        this(store, letter, type, RowFormat.FIRST);
    }

    /** The table of a letter, whose rows have changed. */
    public Table(MetadataStore store, char letter, Class<T> type, RowFormat format) {
        this.store = store;
        this.all = RowKey.table(letter);
        this.codec = new RecordCodec<>(type, format);
    }

    /** The prefix of all keys of the table. */
    public RowKey all() {
        return all;
    }

    /** Returns a row; empty if there is none. */
    public Optional<Versioned<T>> find(RowKey key) throws MetadataException {
        Optional<Row> row = store.get(key);
        return row.isPresent() ? Optional.of(codec.decode(row.get())) : Optional.empty();
    }

    /** A row; the one that is known already if the row still has its version, without decoding it. */
    public Optional<Versioned<T>> find(RowKey key, Optional<Versioned<T>> known) throws MetadataException {
        Optional<Row> row = store.get(key);
        if (row.isEmpty()) {
            return Optional.empty();
        }
        long version = row.get().version();
        Optional<Versioned<T>> same = known.filter(each -> each.version() == version);
        return same.isPresent() ? same : Optional.of(codec.decode(row.get()));
    }

    /** Writes a row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(RowKey key, T value, long expectedVersion) throws MetadataException {
        return store.compareAndSet(key, expectedVersion, codec.encode(value));
    }

    /** Deletes a row if it has the expected version, else returns false. */
    public boolean delete(RowKey key, long expectedVersion) throws MetadataException {
        return store.compareAndDelete(key, expectedVersion);
    }

    /** Deletes the row, whatever its version, without decoding it. */
    public void deleteAny(RowKey key) throws MetadataException {
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
    public void deleteAll(RowKey prefix) throws MetadataException {
        AtomicBoolean deleted = new AtomicBoolean();
        try {
            forEach(prefix, row -> {
                if (!store.compareAndDelete(row.key(), row.version())) {
                    deleteAny(row.key());
                }
                deleted.set(true);
            });
        } catch (MetadataException e) {
            throw deleted.get() ? partly(e) : e;
        }
    }

    /** Returns the versions of all rows whose keys begin with the prefix, without decoding them. */
    public SortedMap<RowKey, Long> versions(RowKey prefix) throws MetadataException {
        SortedMap<RowKey, Long> found = new TreeMap<>();
        forEach(prefix, row -> found.put(row.key(), row.version()));
        return found;
    }

    /**
     * Deletes the rows that still have these versions; false if some have others, or are gone.
     *
     * @throws MetadataException UNKNOWN once a row is deleted: the rest are still there
     */
    public boolean deleteAll(Map<RowKey, Long> versions) throws MetadataException {
        int deleted = 0;
        try {
            for (Map.Entry<RowKey, Long> row : versions.entrySet()) {
                if (store.compareAndDelete(row.getKey(), row.getValue())) {
                    deleted++;
                }
            }
        } catch (MetadataException e) {
            throw deleted > 0 ? partly(e) : e;
        }
        return deleted == versions.size();
    }

    private static MetadataException partly(MetadataException e) {
        return new MetadataException(e.reason(), Effect.UNKNOWN, "some of the rows are deleted", e);
    }

    /** Returns the number of rows whose keys begin with the prefix, without decoding them. */
    public int count(RowKey prefix) throws MetadataException {
        AtomicInteger rows = new AtomicInteger();
        forEachBeginning(prefix, 0, row -> rows.incrementAndGet());
        return rows.get();
    }

    /**
     * Returns the number of rows whose keys begin with the prefix and whose fields in front of the named one have the
     * values of the record. Decodes nothing: rows of other versions and damaged rows are not counted.
     */
    public int count(RowKey prefix, T value, String before) throws MetadataException {
        byte[] beginning = codec.beginning(value, before);
        AtomicInteger rows = new AtomicInteger();
        forEachBeginning(prefix, beginning.length, row -> {
            if (row.value().length >= beginning.length
                    && Arrays.equals(row.value(), 0, beginning.length, beginning, 0, beginning.length)) {
                rows.incrementAndGet();
            }
        });
        return rows.get();
    }

    /** Returns the rows whose keys begin with the prefix. */
    public List<KeyedRow<T>> list(RowKey prefix) throws MetadataException {
        List<KeyedRow<T>> found = new ArrayList<>();
        list(prefix, found::add);
        return found;
    }

    /** Passes the rows to a consumer one after another and keeps none of them. */
    public void list(RowKey prefix, Consumer<KeyedRow<T>> found) throws MetadataException {
        forEach(prefix, row -> found.accept(new KeyedRow<>(row.key(), codec.decode(row))));
    }

    /** Passes the keys of the rows to a consumer one after another, without decoding the rows. */
    public void keys(RowKey prefix, Consumer<RowKey> found) throws MetadataException {
        forEachBeginning(prefix, 0, row -> found.accept(row.key()));
    }

    /** The first rows whose keys begin with the prefix. */
    public List<KeyedRow<T>> first(RowKey prefix, int most) throws MetadataException {
        List<KeyedRow<T>> found = new ArrayList<>();
        for (Row row : store.scan(prefix, most)) {
            found.add(new KeyedRow<>(row.key(), codec.decode(row)));
        }
        return found;
    }

    /** The first rows of the table after a key, which need not be there. */
    public List<KeyedRow<T>> listAfter(RowKey after, int most) throws MetadataException {
        List<KeyedRow<T>> found = new ArrayList<>();
        for (Row row : store.scanAfter(all, after, most)) {
            found.add(new KeyedRow<>(row.key(), codec.decode(row)));
        }
        return found;
    }

    /**
     * Passes the rows to a consumer one after another and keeps none of them. Rows that cannot be decoded do not stop
     * the listing: their keys are passed on with the reason.
     */
    public void list(RowKey prefix, Consumer<KeyedRow<T>> found, BiConsumer<RowKey, MetadataException> unreadable)
            throws MetadataException {
        forEach(prefix, row -> {
            Versioned<T> decoded;
            try {
                decoded = codec.decode(row);
            } catch (MetadataException e) {
                unreadable.accept(row.key(), e);
                return;
            }
            found.accept(new KeyedRow<>(row.key(), decoded));
        });
    }

    /** A consumer of rows. */
    @FunctionalInterface
    private interface RowReader {
        void read(Row row) throws MetadataException;
    }

    /** The pages of a scan. */
    @FunctionalInterface
    private interface Pages {
        /** Reads the rows after a key. */
        List<Row> after(RowKey last, int rows) throws MetadataException;
    }

    private void forEach(RowKey prefix, RowReader reader) throws MetadataException {
        forEach(store.scan(prefix, FIRST_PAGE_ROWS), (last, rows) -> store.scanAfter(prefix, last, rows), reader);
    }

    /** Reads rows with the first bytes of their values. Rows of groups, which clients make large, are counted by it. */
    private void forEachBeginning(RowKey prefix, int valueBytes, RowReader reader) throws MetadataException {
        Pages pages = (last, rows) -> store.scanBeginnings(prefix, last, rows, valueBytes);
        forEach(pages.after(all, FIRST_PAGE_ROWS), pages, reader);
    }

    /** Reads page by page: pages of large rows are short, or one of them could fill the heap. */
    private static void forEach(List<Row> first, Pages pages, RowReader reader) throws MetadataException {
        int rows = FIRST_PAGE_ROWS;
        List<Row> page = first;
        while (true) {
            long bytes = 0;
            for (Row row : page) {
                bytes += row.value().length;
                reader.read(row);
            }
            if (page.size() < rows) {
                return;
            }
            RowKey last = page.get(page.size() - 1).key();
            rows = nextPageRows(rows, bytes);
            page = pages.after(last, rows);
        }
    }

    private static int nextPageRows(int rows, long bytes) {
        long fitting = PAGE_BYTES * rows / Math.max(1, bytes);
        return (int) Math.max(1, Math.min(fitting, Math.min(MOST_PAGE_ROWS, 4L * rows)));
    }

    /** A record and its key. Immutable. */
    public record KeyedRow<T>(RowKey key, Versioned<T> row) {}
}
