// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.talos.server.metadata.RowKey;

/**
 * What the store asks of the table, each time for one attempt: nothing is sent twice below this line, and every future
 * completes within the attempt's time or a little later. Futures that fail do so with HBase's exceptions.
 *
 * <p>Thread-safe.
 */
interface Calls {
    /** Finds out which server has the row, and sends nothing to it. Done at once if that is known. */
    CompletableFuture<?> locate(byte[] key);

    /** The row's cell: a row or a mark. */
    CompletableFuture<Optional<byte[]>> get(byte[] key);

    /** Writes the cell if the one there has the version {@code replaced}; 0 means that there must be none. */
    CompletableFuture<Boolean> replace(byte[] key, long replaced, StoredRow next);

    /** The first rows of the range, without marks. */
    CompletableFuture<List<Found>> scan(Range range, int limit);

    /** A row's key and cell. Immutable, as long as nobody writes to the arrays. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Found(byte[] key, byte[] cell) {}

    /** Keys between two, by whole parts. Immutable, as long as nobody writes to the arrays. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Range(byte[] from, boolean inclusive, byte[] end) {
        /** All below the prefix, itself included. */
        static Range of(RowKey prefix) {
            return new Range(prefix.bytes(), true, endOf(prefix));
        }

        /** What of the prefix lies behind a key. */
        static Range behind(RowKey prefix, RowKey after) {
            return after.compareTo(prefix) < 0 ? of(prefix) : new Range(after.bytes(), false, endOf(prefix));
        }

        boolean isEmpty() {
            return Arrays.compareUnsigned(from, end) >= 0;
        }

        /** The first key behind all that start with the prefix; there is one, since the first byte is a letter. */
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
