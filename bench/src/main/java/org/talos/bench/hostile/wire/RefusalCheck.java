// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;

/** Accepts the body of a refusal: a problem or a sentence, a few lines of printable ASCII. Confined: its connection. */
public final class RefusalCheck implements Check {
    private static final int LONGEST = 4_000;

    private int length;

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            length++;
            if (length > LONGEST || (next < ' ' && next != '\n' && next != '\r') || next == 0x7f) {
                throw new ForeignBytesException("no refusal", bytes.position(bytes.position() - 1));
            }
        }
    }
}
