// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;

/** Rows in memory, which outlive every crash. A call may fail, a write after it has taken effect. Confined. */
final class MemoryRows implements MetadataStore {
    private final TreeMap<RowKey, Row> rows = new TreeMap<>();
    private long versions;
    private BooleanSupplier failsBefore = () -> false;
    private BooleanSupplier failsAfter = () -> false;

    void fault(BooleanSupplier before, BooleanSupplier after) {
        failsBefore = before;
        failsAfter = after;
    }

    private static void check(BooleanSupplier fails, Effect effect) throws MetadataException {
        if (fails.getAsBoolean()) {
            throw new MetadataException(Reason.UNAVAILABLE, effect, "made to fail");
        }
    }

    @Override
    public Optional<Row> get(RowKey key) throws MetadataException {
        check(failsBefore, Effect.NONE);
        return Optional.ofNullable(rows.get(key));
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        check(failsBefore, Effect.NONE);
        return scan(prefix).limit(limit).toList();
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        check(failsBefore, Effect.NONE);
        return scan(prefix)
                .filter(row -> row.key().compareTo(after) > 0)
                .limit(limit)
                .toList();
    }

    private Stream<Row> scan(RowKey prefix) {
        return rows.values().stream().filter(row -> row.key().startsWith(prefix));
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        check(failsBefore, Effect.UNKNOWN);
        if (version(key) != expectedVersion) {
            return OptionalLong.empty();
        }
        rows.put(key, new Row(key, ++versions, value));
        check(failsAfter, Effect.UNKNOWN);
        return OptionalLong.of(versions);
    }

    @Override
    public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
        check(failsBefore, Effect.UNKNOWN);
        boolean deleted = version(key) == expectedVersion && rows.remove(key) != null;
        check(failsAfter, Effect.UNKNOWN);
        return deleted;
    }

    private long version(RowKey key) {
        Row row = rows.get(key);
        return row == null ? 0 : row.version();
    }

    @Override
    public void close() {
        // The rows outlive it.
    }
}
