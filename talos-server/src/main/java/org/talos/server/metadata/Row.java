// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

/**
 * A row as it was read: key, version, and value, whose bytes belong to the reader. Not a record, since a record would
 * compare the array by identity.
 *
 * <p>Immutable, provided that its value is not written to.
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

    /** The key. */
    public RowKey key() {
        return key;
    }

    /** The version, which a change has to name. */
    public long version() {
        return version;
    }

    /** The value, not copied. */
    public byte[] value() {
        return value;
    }

    /** Key and version; the value may be a user's data. */
    @Override
    public String toString() {
        return key + "@" + version;
    }
}
