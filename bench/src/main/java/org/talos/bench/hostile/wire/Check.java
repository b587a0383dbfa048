// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;

/** Compares the bytes that one connection receives with the bytes that it may receive. Confined: its connection. */
@FunctionalInterface
public interface Check {
    /** Accepts any bytes. */
    Check ANY = bytes -> bytes.position(bytes.limit());

    /** Accepts nothing. */
    Check NONE = bytes -> {
        throw new ForeignBytesException("an answer to no request", bytes);
    };

    /**
     * Consumes the next bytes, all of them.
     *
     * @throws ForeignBytesException the connection must not receive these bytes
     */
    void accept(ByteBuffer bytes) throws ForeignBytesException;

    /** Returns a check that fails if one of the two does. */
    static Check both(Check first, Check second) {
        return bytes -> {
            first.accept(bytes.duplicate());
            second.accept(bytes);
        };
    }
}
