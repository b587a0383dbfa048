// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.nio.ByteBuffer;
import java.util.List;

/** Lists of buffers, as requests, answers and entries are made of. Thread-safe; no buffer's position is moved. */
public final class Buffers {
    private Buffers() {}

    /** Returns the bytes that are left in all of them. Without a stream, as each request is counted several times. */
    public static long bytes(List<ByteBuffer> buffers) {
        long bytes = 0;
        for (ByteBuffer each : buffers) {
            bytes += each.remaining();
        }
        return bytes;
    }

    /** Returns a copy of the bytes that are left in all of them, which an array has to have room for. */
    public static ByteBuffer joined(List<ByteBuffer> buffers) {
        ByteBuffer joined = ByteBuffer.allocate(Math.toIntExact(bytes(buffers)));
        for (ByteBuffer each : buffers) {
            joined.put(joined.position(), each, each.position(), each.remaining());
            joined.position(joined.position() + each.remaining());
        }
        return joined.flip();
    }
}
