// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows by key, each changed by one atomic step that names the version it changes. The seam to RocksDB and to HBase.
 *
 * <p>Always true: a row is linearizable by itself, nothing is said about two rows together. A write that has returned
 * survives the death of the process and of the machine. A key's versions are positive, grow, and never repeat, not even
 * when the row is deleted and made again: who holds a version knows exactly what it stands for. All calls block. A
 * failed write whose effect is UNKNOWN may be found out by reading the row: only the writer's own value or a version
 * that it knows says something.
 *
 * <p>Thread-safe.
 */
public interface MetadataStore extends AutoCloseable {
    /**
     * The row, or empty.
     *
     * @throws MetadataException effect NONE
     */
    Optional<Row> get(RowKey key) throws MetadataException;

    /**
     * The first rows whose key starts with the parts of {@code prefix}, itself included, in key order. Rows that come
     * and go during the scan may be in it or not.
     *
     * @throws MetadataException effect NONE
     */
    List<Row> scan(RowKey prefix, int limit) throws MetadataException;

    /**
     * As {@link #scan}, with the rows behind {@code after} only, whether a row stands there or not.
     *
     * @throws MetadataException effect NONE
     */
    List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException;

    /**
     * Writes the row if its version is the expected one; 0 means that there must be no row.
     *
     * @return the new version, or empty if the row is at another version or gone, and nothing was written
     * @throws MetadataException effect NONE, or UNKNOWN if the row may have been written
     */
    OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException;

    /**
     * Deletes the row if its version is the expected one.
     *
     * @return false if the row is at another version or gone, and nothing was deleted
     * @throws MetadataException effect NONE, or UNKNOWN if the row may have been deleted
     */
    boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException;

    /** Waits for calls in flight, then refuses all others. May be called twice. */
    @Override
    void close();
}
