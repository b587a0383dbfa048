// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.nio.ByteBuffer;
import java.util.List;

/** Lists of buffers, as requests, answers and entries are made of. Thread-safe; no buffer's position is moved. */
public final class Buffers {
    private Buffers() {}

    /** The bytes that are left in all of them. Without a stream, as each request is counted several times. */
    public static long bytes(List<ByteBuffer> buffers) {
        long bytes = 0;
        for (ByteBuffer each : buffers) {
            bytes += each.remaining();
        }
        return bytes;
    }
}
