// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

/**
 * A row as it was read: where, at which version, and its bytes, which belong to the reader. Not a record, since those
 * would compare arrays by identity.
 *
 * <p>Confined: to whoever read it, unless nobody writes to the value.
 */
public final class Row {
    private final RowKey key;
    private final long version;
    private final byte[] value;

    /** A row; the value is not copied. */
    public Row(RowKey key, long version, byte[] value) {
        this.key = key;
        this.version = version;
        this.value = value;
    }

    /** Where it stands. */
    public RowKey key() {
        return key;
    }

    /** The version to name when changing it. */
    public long version() {
        return version;
    }

    /** Its bytes, not copied. */
    public byte[] value() {
        return value;
    }

    /** Without the value, which may be anybody's. */
    @Override
    public String toString() {
        return key + "@" + version;
    }
}
