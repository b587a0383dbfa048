// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;

/** Accepts a part of known bytes from their beginning. Confined: its connection. */
public final class PrefixCheck implements Check {
    private final ByteBuffer expected;

    /** Creates the check of one answer. */
    public PrefixCheck(byte[] expected) {
        this.expected = ByteBuffer.wrap(expected);
    }

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        int count = bytes.remaining();
        if (count > expected.remaining() || !bytes.equals(expected.duplicate().limit(expected.position() + count))) {
            throw new ForeignBytesException("not the known bytes from " + expected.position() + " on", bytes);
        }
        expected.position(expected.position() + count);
        bytes.position(bytes.limit());
    }

    /** Returns whether all of the known bytes were received. */
    public boolean isWhole() {
        return !expected.hasRemaining();
    }
}
