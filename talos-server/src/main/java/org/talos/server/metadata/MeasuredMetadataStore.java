// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.MetadataMetrics.Failed;
import org.talos.server.metrics.MetadataMetrics.StoreCall;
import org.talos.server.runtime.time.Ticker;

/** Counts and times the calls of another store. Thread-safe. */
public final class MeasuredMetadataStore implements MetadataStore {
    private final MetadataStore store;
    private final MetadataMetrics metrics;
    private final Ticker ticker;

    /** Wraps a store, which it closes. */
    public MeasuredMetadataStore(MetadataStore store, MetadataMetrics metrics, Ticker ticker) {
        this.store = store;
        this.metrics = metrics;
        this.ticker = ticker;
    }

    @Override
    public Optional<Row> get(RowKey key) throws MetadataException {
        return measured(StoreCall.GET, () -> store.get(key));
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        return measured(StoreCall.SCAN, () -> store.scan(prefix, limit));
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        return measured(StoreCall.SCAN, () -> store.scanAfter(prefix, after, limit));
    }

    @Override
    public List<Row> scanBeginnings(RowKey prefix, RowKey after, int limit, int valueBytes) throws MetadataException {
        return measured(StoreCall.SCAN, () -> store.scanBeginnings(prefix, after, limit, valueBytes));
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        return measured(StoreCall.SET, () -> store.compareAndSet(key, expectedVersion, value));
    }

    @Override
    public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
        return measured(StoreCall.DELETE, () -> store.compareAndDelete(key, expectedVersion));
    }

    private <T> T measured(StoreCall call, Action<T> action) throws MetadataException {
        long begin = ticker.nanos();
        try {
            return action.run();
        } catch (MetadataException e) {
            metrics.failed(counted(e.reason()));
            throw e;
        } finally {
            metrics.called(call, ticker.nanos() - begin);
        }
    }

    private static Failed counted(Reason reason) {
        return switch (reason) {
            case BUSY -> Failed.BUSY;
            case UNAVAILABLE -> Failed.UNAVAILABLE;
            case FULL -> Failed.FULL;
            case CORRUPT -> Failed.CORRUPT;
            case UNKNOWN_FORMAT -> Failed.UNKNOWN_FORMAT;
        };
    }

    private interface Action<T> {
        T run() throws MetadataException;
    }

    @Override
    public void close() {
        store.close();
    }
}
