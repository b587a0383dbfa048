// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows by key, each changed by compare-and-set on its version. The seam to RocksDB and to HBase.
 *
 * <p>Invariant: a single row is linearizable; nothing is promised about two rows together. A write that has returned
 * survives the death of the process and of the machine. A key's versions are positive, grow, and never repeat, not even
 * when the row is deleted and created again: a version identifies one value. All calls block. After a failed write with
 * the effect UNKNOWN the caller may read the row: only its own value, or a version it knows, shows the outcome.
 *
 * <p>Thread-safe.
 */
public interface MetadataStore extends AutoCloseable {
    /**
     * Reads the row; empty if there is none.
     *
     * @throws MetadataException effect NONE
     */
    Optional<Row> get(RowKey key) throws MetadataException;

    /**
     * Reads the first rows whose key starts with the parts of {@code prefix}, itself included, in key order. Rows
     * written or deleted during the scan may be in it or not.
     *
     * @throws MetadataException effect NONE
     */
    List<Row> scan(RowKey prefix, int limit) throws MetadataException;

    /**
     * Like {@link #scan}, for the keys after {@code after}, whether there is a row at it or not.
     *
     * @throws MetadataException effect NONE
     */
    List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException;

    /**
     * Like {@link #scanAfter}, for callers that need only the keys and the first bytes of the values.
     *
     * @param valueBytes that are read of each value at least, if it has them; a store may read more
     * @throws MetadataException effect NONE
     */
    default List<Row> scanBeginnings(RowKey prefix, RowKey after, int limit, int valueBytes) throws MetadataException {
        return scanAfter(prefix, after, limit);
    }

    /**
     * Writes the row if it has the expected version; 0 means that there must be no row.
     *
     * @return the new version; empty if the row has another version or is gone, and nothing was written
     * @throws MetadataException effect NONE, or UNKNOWN if the row may have been written
     */
    OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException;

    /**
     * Deletes the row if it has the expected version.
     *
     * @return false if the row has another version or is gone, and nothing was deleted
     * @throws MetadataException effect NONE, or UNKNOWN if the row may have been deleted
     */
    boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException;

    /** Waits for calls in flight and refuses new ones. May be called twice. */
    @Override
    void close();
}
