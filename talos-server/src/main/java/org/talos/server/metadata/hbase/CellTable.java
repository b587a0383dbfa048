// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.talos.server.metadata.RowKey;

/**
 * The asynchronous operations on the table's cells, each one attempt: an implementation sends nothing twice, and every
 * future completes within an attempt's timeout or a little later. Futures fail with HBase's exceptions.
 *
 * <p>Thread-safe.
 */
interface CellTable {
    /** Looks up which server has the row, without a request to it. Completes at once if that is cached. */
    CompletableFuture<?> locate(byte[] key);

    /** Reads the row's cell: a row or a deletion mark. */
    CompletableFuture<Optional<byte[]>> get(byte[] key);

    /** Writes the cell if the present one has the version {@code replaced}; 0 means that there must be none. */
    CompletableFuture<Boolean> replace(byte[] key, long replaced, StoredRow next);

    /** Reads the first rows of the range, without deletion marks. */
    CompletableFuture<List<KeyedCell>> scan(KeyRange range, int limit);

    /** A cell and its row's key. Immutable, provided that its arrays are not written to. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record KeyedCell(byte[] key, byte[] cell) {}

    /** A range of keys. Immutable, provided that its arrays are not written to. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record KeyRange(byte[] from, boolean inclusive, byte[] end) {
        /** All keys that start with the prefix, itself included. */
        static KeyRange of(RowKey prefix) {
            return new KeyRange(prefix.bytes(), true, endOf(prefix));
        }

        /** The keys that start with the prefix and come after a key. */
        static KeyRange after(RowKey prefix, RowKey after) {
            return after.compareTo(prefix) < 0 ? of(prefix) : new KeyRange(after.bytes(), false, endOf(prefix));
        }

        boolean isEmpty() {
            return Arrays.compareUnsigned(from, end) >= 0;
        }

        /** The first key after all that start with the prefix; there is one, since the first byte is a letter. */
        private static byte[] endOf(RowKey prefix) {
            byte[] bytes = prefix.bytes();
            int last = bytes.length - 1;
            while (bytes[last] == (byte) 0xff) {
                last--;
            }
            byte[] end = Arrays.copyOf(bytes, last + 1);
            end[last]++;
            return end;
        }
    }
}
