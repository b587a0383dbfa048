// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metadata.rows.user.UserSessions;
import org.talos.server.metadata.rows.user.Users;

/**
 * Calls a listener after each write, failed or not, of a row that other servers cache: topics, users and quotas.
 *
 * <p>Thread-safe.
 */
public final class NotifyingMetadataStore implements MetadataStore {
    private static final List<RowKey> CACHED = List.of(
            RowKey.table(Topics.TABLE),
            RowKey.table(Users.TABLE),
            RowKey.table(UserSessions.TABLE),
            RowKey.table(Quotas.TABLE),
            RowKey.table(Quotas.ORG_TABLE));

    private final MetadataStore store;
    private final Runnable changed;

    /**
     * Wraps a store, which it closes.
     *
     * @param changed the listener; must not block
     */
    public NotifyingMetadataStore(MetadataStore store, Runnable changed) {
        this.store = store;
        this.changed = changed;
    }

    @Override
    public Optional<Row> get(RowKey key) throws MetadataException {
        return store.get(key);
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        return store.scan(prefix, limit);
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        return store.scanAfter(prefix, after, limit);
    }

    @Override
    public List<Row> scanBeginnings(RowKey prefix, RowKey after, int limit, int valueBytes) throws MetadataException {
        return store.scanBeginnings(prefix, after, limit, valueBytes);
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        try {
            return store.compareAndSet(key, expectedVersion, value);
        } finally {
            notifyIfCached(key);
        }
    }

    @Override
    public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
        try {
            return store.compareAndDelete(key, expectedVersion);
        } finally {
            notifyIfCached(key);
        }
    }

    private void notifyIfCached(RowKey key) {
        if (CACHED.stream().anyMatch(key::startsWith)) {
            changed.run();
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
