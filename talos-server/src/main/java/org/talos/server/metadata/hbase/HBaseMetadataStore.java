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
import org.talos.server.metadata.hbase.CellTable.KeyRange;
import org.talos.server.metadata.hbase.CellTable.KeyedCell;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.runtime.time.Ticker;

/**
 * A store in one table of HBase, shared by all servers of a cluster. Every call ends by its deadline, whatever HBase
 * does; {@value #MAX_CALLS} may be in flight, further ones are refused as BUSY.
 *
 * <p>After a write whose answer is lost the row is read, see {@link Write}; the effect is UNKNOWN only if that does not
 * help.
 *
 * <p>Not kept: a read may miss acknowledged writes during the seconds in which a region server that HBase has declared
 * dead still answers reads. A write based on such a read fails its compare-and-set.
 *
 * <p>Thread-safe.
 */
public final class HBaseMetadataStore implements MetadataStore {
    private static final int MAX_CALLS = 256;

    private final Runnable connection; // closes it
    private final CellTable calls;
    private final Write.Target writes;
    private final Ticker ticker;
    private final CallTimes times;
    private final Semaphore permits = new Semaphore(MAX_CALLS);
    private volatile boolean closed;

    HBaseMetadataStore(Runnable connection, Write.Target writes, Ticker ticker, CallTimes times) {
        this.connection = connection;
        this.calls = writes.calls();
        this.writes = writes;
        this.ticker = ticker;
        this.times = times;
    }

    /**
     * Opens the table, which must exist: {@link HBaseTable#create}.
     *
     * @param table the table's connection, which this store closes, also if opening fails
     * @throws MetadataException as {@link HBaseTable#check} and {@link HBaseTable#checkSettings}
     */
    public static HBaseMetadataStore open(HBaseTable table, Ticker ticker, InstantSource clock, MetadataMetrics metrics)
            throws MetadataException {
        try {
            table.check();
            table.checkSettings();
            Versions versions = new Versions(clock, table.nextSession());
            Write.Target writes = new Write.Target(table.calls(), versions, metrics);
            return new HBaseMetadataStore(table::close, writes, ticker, table.times());
        } catch (MetadataException | RuntimeException | Error e) {
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
            permits.release();
        }
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        return rows(prefix, KeyRange.of(prefix), limit);
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        return rows(prefix, KeyRange.after(prefix, after), limit);
    }

    private List<Row> rows(RowKey prefix, KeyRange range, int limit) throws MetadataException {
        if (limit < 1) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1 or more)");
        }
        enter();
        try {
            List<Row> rows = new ArrayList<>();
            if (!range.isEmpty()) {
                for (KeyedCell found : call("scan below ", prefix).read(() -> calls.scan(range, limit), Effect.NONE)) {
                    rows.add(row(key(found.key()), StoredRow.decode(found.cell())));
                }
            }
            return rows;
        } finally {
            permits.release();
        }
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        enter();
        try {
            return Write.set(writes, call("write of row ", key), key.bytes(), expectedVersion, value);
        } finally {
            permits.release();
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
            permits.release();
        }
    }

    /** Waits for the calls in flight, for one call's timeout at most. */
    @Override
    public void close() {
        closed = true;
        permits.acquireUninterruptibly(MAX_CALLS);
        permits.release(MAX_CALLS);
        connection.run();
    }

    private void enter() throws MetadataException {
        boolean entered = !closed && permits.tryAcquire();
        if (closed) {
            if (entered) {
                permits.release();
            }
            throw new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "the metadata store is closed");
        }
        if (!entered) {
            throw new MetadataException(
                    Reason.BUSY, Effect.NONE, MAX_CALLS + " calls are in flight to HBase: this one was not sent");
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
