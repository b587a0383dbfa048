// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * One opening of the directory: its number makes up the upper bits of all row versions of this opening. So versions
 * never repeat, and no counter has to be stored.
 *
 * <p>The number is stored with the format version in one row that no {@link org.talos.server.metadata.RowKey} can name:
 * key {@code 00} and "format"; value 4 bytes format version, 8 bytes number of openings, big-endian.
 *
 * <p>Immutable.
 */
record Incarnation(long number) {
    /** 2^23 openings of 2^40 writes each: a century of a thousand writes and three openings an hour. */
    private static final int WRITE_BITS = 40;

    private static final long MAX_NUMBER = (1L << (63 - WRITE_BITS)) - 1;
    private static final int FORMAT = 1;
    private static final int ROW_BYTES = Integer.BYTES + Long.BYTES;
    private static final byte[] KEY = "\0format".getBytes(StandardCharsets.US_ASCII);

    /** Checks the format and takes the next number. */
    static Incarnation begin(Database database) throws MetadataException {
        try {
            byte @Nullable [] stored = database.get(KEY);
            Incarnation next = new Incarnation(stored == null ? first(database) : lastNumber(stored) + 1);
            if (next.number > MAX_NUMBER) {
                throw new MetadataException(
                        Reason.UNAVAILABLE, Effect.NONE, "the metadata directory was opened too often");
            }
            database.put(
                    KEY,
                    ByteBuffer.allocate(ROW_BYTES)
                            .putInt(FORMAT)
                            .putLong(next.number)
                            .array());
            return next;
        } catch (RocksDBException e) {
            throw new MetadataException(
                    Database.reason(e), Effect.UNKNOWN, "the metadata's format row: " + Database.explained(e), e);
        }
    }

    /** Checks the format and tells the latest number, 0 of an empty directory. */
    static Incarnation last(Database database) throws MetadataException {
        try {
            byte @Nullable [] stored = database.get(KEY);
            return new Incarnation(stored == null ? first(database) - 1 : lastNumber(stored));
        } catch (RocksDBException e) {
            throw new MetadataException(
                    Database.reason(e), Effect.NONE, "the metadata's format row: " + e.getMessage(), e);
        }
    }

    /** Refuses a directory with rows but no format row: it is another program's, or has lost rows. */
    private static long first(Database database) throws MetadataException, RocksDBException {
        if (!database.isEmpty()) {
            throw new MetadataException(
                    Reason.CORRUPT, Effect.NONE, "the metadata directory has rows but no format version");
        }
        return 1;
    }

    private static long lastNumber(byte[] stored) throws MetadataException {
        ByteBuffer row = ByteBuffer.wrap(stored);
        int format = stored.length < Integer.BYTES ? 0 : row.getInt();
        if (format != FORMAT) {
            throw new MetadataException(
                    Reason.UNKNOWN_FORMAT,
                    Effect.NONE,
                    "the metadata directory has format version " + format + " (expected: " + FORMAT + ")");
        }
        if (stored.length != ROW_BYTES) {
            throw new MetadataException(Reason.CORRUPT, Effect.NONE, "the metadata's format row is truncated");
        }
        return row.getLong();
    }

    long firstVersion() {
        return number << WRITE_BITS;
    }

    long lastVersion() {
        return ((number + 1) << WRITE_BITS) - 1;
    }
}
