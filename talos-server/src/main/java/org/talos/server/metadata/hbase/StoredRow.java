// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.nio.ByteBuffer;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * The content of a row's single cell, numbers big-endian:
 *
 * <pre>
 * version   8 bytes  names the write: no two attempts at any write have the same
 * previous  8 bytes  the version that this write has replaced, 0 if there was no cell
 * kind      1 byte   1: a row; 0: the mark of a deleted row
 * value     the rest, empty in a mark
 * </pre>
 *
 * <p>A deleted row leaves a mark. HBase's own delete would also hide later writes in the same millisecond, or by a
 * region server with a slower clock. The mark also says which write has deleted the row.
 *
 * <p>Immutable, provided that its value is not written to.
 */
final class StoredRow {
    static final int KIND_AT = 2 * Long.BYTES;
    static final byte ROW = 1;
    static final byte MARK = 0;
    private static final int HEAD_BYTES = KIND_AT + 1;

    private final long version;
    private final long previous;
    private final byte kind;
    private final byte[] value;

    private StoredRow(long version, long previous, byte kind, byte[] value) {
        this.version = version;
        this.previous = previous;
        this.kind = kind;
        this.value = value;
    }

    static StoredRow row(long version, long previous, byte[] value) {
        return new StoredRow(version, previous, ROW, value);
    }

    static StoredRow mark(long version, long previous) {
        return new StoredRow(version, previous, MARK, new byte[0]);
    }

    static StoredRow decode(byte[] cell) throws MetadataException {
        if (cell.length < HEAD_BYTES) {
            throw corrupt("a row's cell is truncated: " + cell.length + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(cell);
        long version = buffer.getLong();
        long previous = buffer.getLong();
        byte kind = buffer.get();
        if (version <= 0 || previous < 0 || (kind != ROW && kind != MARK)) {
            throw corrupt("a row's cell has version " + version + " after " + previous + " and kind " + kind);
        }
        byte[] value = new byte[buffer.remaining()];
        buffer.get(value);
        return new StoredRow(version, previous, kind, value);
    }

    byte[] encode() {
        return ByteBuffer.allocate(HEAD_BYTES + value.length)
                .putLong(version)
                .putLong(previous)
                .put(kind)
                .put(value)
                .array();
    }

    long version() {
        return version;
    }

    long previous() {
        return previous;
    }

    boolean isRow() {
        return kind == ROW;
    }

    byte[] value() {
        return value;
    }

    private static MetadataException corrupt(String what) {
        return new MetadataException(Reason.CORRUPT, Effect.NONE, what);
    }
}
