// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;

/**
 * Rows in memory, which outlive every crash and which all processes share. Each has a view of its own: there a call may
 * fail, a write after it has taken effect.
 *
 * <p>Confined: the simulation's thread.
 */
public final class MemoryRows {
    private static final byte[] NEWER = "{\"v\":99}".getBytes(StandardCharsets.UTF_8);

    private final TreeMap<RowKey, Row> rows = new TreeMap<>();
    private final Set<RowKey> unreadable = new HashSet<>();
    private long versions;
    private Written written = (key, before, value) -> {};

    /** Faults of the calls of a view. Confined: the simulation's thread. */
    public interface Faults {
        /** No call fails. */
        Faults NONE = new Faults() {};

        /** Before a call; {@code write} applies it if it is a write, and is to be run later if it is late. */
        default void before(Runnable write) throws MetadataException {}

        /** After a call that has changed something. */
        default void after() throws MetadataException {}
    }

    /** Is notified of each change. Confined: the simulation's thread. */
    @FunctionalInterface
    public interface Written {
        /** A row was changed: {@code value} is empty if it was deleted. */
        void changed(RowKey key, Optional<Row> before, Optional<Row> value);
    }

    /** True if a compare-and-set compares: without it the simulation has to find what follows. */
    private boolean compares = true;

    /** Has versions ignored, to see that this is found. */
    public void compareNothing() {
        compares = false;
    }

    /** Sets the listener of changes. */
    public void onChange(Written listener) {
        written = listener;
    }

    /** Reads a row, whatever befalls others. */
    public Optional<Row> peek(RowKey key) {
        return Optional.ofNullable(rows.get(key));
    }

    /** Writes a row, as somebody else than a server does. */
    public void put(RowKey key, byte[] value) {
        rows.put(key, new Row(key, ++versions, value));
    }

    /** Removes a row, as somebody else than a server does. */
    public void remove(RowKey key) {
        rows.remove(key);
    }

    /** Has servers read a row as one that a newer version wrote, or as it is again. */
    public void hide(RowKey key, boolean hidden) {
        if (hidden) {
            unreadable.add(key);
        } else {
            unreadable.remove(key);
        }
    }

    /** All rows can be read again. */
    public void hideNothing() {
        unreadable.clear();
    }

    /** The rows as one process has them. */
    public MetadataStore view(Faults faults) {
        return new View(faults, unreadable);
    }

    /** The rows as they are: all can be read. */
    public MetadataStore whole() {
        return new View(Faults.NONE, Set.of());
    }

    private boolean isAt(RowKey key, long expected) {
        Row row = rows.get(key);
        return (row == null ? 0 : row.version()) == expected || (!compares && row != null);
    }

    private OptionalLong set(RowKey key, long expected, byte[] value) {
        if (!isAt(key, expected)) {
            return OptionalLong.empty();
        }
        Row now = new Row(key, ++versions, value);
        Optional<Row> before = Optional.ofNullable(rows.put(key, now));
        written.changed(key, before, Optional.of(now));
        return OptionalLong.of(versions);
    }

    private boolean delete(RowKey key, long expected) {
        Row row = rows.get(key);
        if (row == null || !isAt(key, expected)) {
            return false;
        }
        rows.remove(key);
        written.changed(key, Optional.of(row), Optional.empty());
        return true;
    }

    /** One process's calls. Confined: the simulation's thread. */
    private final class View implements MetadataStore {
        private final Faults faults;
        private final Set<RowKey> hidden;

        View(Faults faults, Set<RowKey> hidden) {
            this.faults = faults;
            this.hidden = hidden;
        }

        private Row shown(Row row) {
            return hidden.contains(row.key()) ? new Row(row.key(), row.version(), NEWER) : row;
        }

        private Stream<Row> found(RowKey prefix) {
            return rows.values().stream()
                    .filter(row -> row.key().startsWith(prefix))
                    .map(this::shown);
        }

        @Override
        public Optional<Row> get(RowKey key) throws MetadataException {
            faults.before(() -> {});
            return peek(key).map(this::shown);
        }

        @Override
        public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
            faults.before(() -> {});
            return found(prefix).limit(limit).toList();
        }

        @Override
        public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
            faults.before(() -> {});
            return found(prefix)
                    .filter(row -> row.key().compareTo(after) > 0)
                    .limit(limit)
                    .toList();
        }

        @Override
        public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
            faults.before(() -> {
                var unused = set(key, expectedVersion, value);
            });
            OptionalLong version = set(key, expectedVersion, value);
            if (version.isPresent()) {
                faults.after();
            }
            return version;
        }

        @Override
        public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
            faults.before(() -> {
                var unused = delete(key, expectedVersion);
            });
            boolean deleted = delete(key, expectedVersion);
            if (deleted) {
                faults.after();
            }
            return deleted;
        }

        @Override
        public void close() {
            // The rows outlive it.
        }
    }
}
