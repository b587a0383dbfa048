// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;

/** Accepts alerts of TLS, each in a record of its own, and nothing else. Confined: its connection. */
public final class TlsAlertCheck implements Check {
    private static final int ANY = -1;
    private static final int[] RECORD = {0x15, 0x03, ANY, 0, 2, ANY, ANY};

    private int at;

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        while (bytes.hasRemaining()) {
            int expected = RECORD[at];
            at = (at + 1) % RECORD.length;
            if (expected != ANY && bytes.get(bytes.position()) != expected) {
                throw new ForeignBytesException("no alert of TLS", bytes);
            }
            bytes.get();
        }
    }
}
