// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.hbase.Calls.Found;
import org.talos.server.metadata.hbase.Calls.Range;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.runtime.Ticker;

/**
 * The rows of all servers that share a cluster, in one table of HBase. Every call ends by its deadline, whatever HBase
 * does; {@value #MAX_CALLS} may be on their way at a time, and what is more is refused as BUSY.
 *
 * <p>A write whose answer gets lost is looked up, see {@link Write}; only if that fails too its effect is UNKNOWN.
 *
 * <p>Not kept: that a read sees all writes answered before, for the seconds in which a region server that was taken for
 * dead still answers reads. A write based on such a read is lost, as to any race.
 *
 * <p>Thread-safe.
 */
public final class HBaseMetadataStore implements MetadataStore {
    private static final int MAX_CALLS = 256;

    private final Runnable connection; // ends it
    private final Calls calls;
    private final Write.Table writes;
    private final Ticker ticker;
    private final CallTimes times;
    private final Semaphore free = new Semaphore(MAX_CALLS);
    private volatile boolean closed;

    HBaseMetadataStore(Runnable connection, Write.Table writes, Ticker ticker, CallTimes times) {
        this.connection = connection;
        this.calls = writes.calls();
        this.writes = writes;
        this.ticker = ticker;
        this.times = times;
    }

    /**
     * Opens the table, which must be there and right: {@link HBaseTable#create}.
     *
     * @param table the connection, which this store closes, also if it cannot be opened
     * @throws MetadataException as {@link HBaseTable#check}
     */
    public static HBaseMetadataStore open(HBaseTable table, Ticker ticker, InstantSource clock, MetadataMetrics metrics)
            throws MetadataException {
        try {
            table.check();
            Versions versions = new Versions(clock, table.nextSession());
            Write.Table writes = new Write.Table(table.calls(), versions, metrics);
            return new HBaseMetadataStore(table::close, writes, ticker, table.times());
        } catch (MetadataException | RuntimeException e) {
            table.close();
            throw e;
        }
    }

    @Override
    public Optional<Row> get(RowKey key) throws MetadataException {
        enter();
        try {
            HBaseCall call = call("get of row ", key);
            byte[] bytes = key.bytes();
            Optional<byte[]> cell = call.read(() -> calls.get(bytes), Effect.NONE);
            if (cell.isEmpty()) {
                return Optional.empty();
            }
            StoredRow stored = StoredRow.decode(cell.get());
            return stored.isRow() ? Optional.of(row(key, stored)) : Optional.empty();
        } finally {
            free.release();
        }
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        return rows(prefix, Range.of(prefix), limit);
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        return rows(prefix, Range.behind(prefix, after), limit);
    }

    private List<Row> rows(RowKey prefix, Range range, int limit) throws MetadataException {
        if (limit < 1) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1 or more)");
        }
        enter();
        try {
            List<Row> rows = new ArrayList<>();
            if (!range.isEmpty()) {
                for (Found found : call("scan below ", prefix).read(() -> calls.scan(range, limit), Effect.NONE)) {
                    rows.add(row(key(found.key()), StoredRow.decode(found.cell())));
                }
            }
            return rows;
        } finally {
            free.release();
        }
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        enter();
        try {
            return Write.set(writes, call("write of row ", key), key.bytes(), expectedVersion, value);
        } finally {
            free.release();
        }
    }

    @Override
    public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
        enter();
        try {
            return expectedVersion != 0
                    && Write.delete(writes, call("delete of row ", key), key.bytes(), expectedVersion)
                            .isPresent();
        } finally {
            free.release();
        }
    }

    /** At most a call's time: none of those in flight takes longer. */
    @Override
    public void close() {
        closed = true;
        free.acquireUninterruptibly(MAX_CALLS);
        free.release(MAX_CALLS);
        connection.run();
    }

    private void enter() throws MetadataException {
        boolean entered = !closed && free.tryAcquire();
        if (closed) {
            if (entered) {
                free.release();
            }
            throw new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "the metadata store is closed");
        }
        if (!entered) {
            throw new MetadataException(
                    Reason.BUSY, Effect.NONE, MAX_CALLS + " calls wait for HBase already: this one was not sent");
        }
    }

    private HBaseCall call(String what, RowKey key) {
        return new HBaseCall(what + key, ticker, times);
    }

    private static Row row(RowKey key, StoredRow stored) {
        return new Row(key, stored.version(), stored.value());
    }

    private static RowKey key(byte[] bytes) throws MetadataException {
        try {
            return RowKey.parse(bytes);
        } catch (IllegalArgumentException e) {
            throw new MetadataException(Reason.CORRUPT, Effect.NONE, "a row's key cannot be read", e);
        }
    }
}
