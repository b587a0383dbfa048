// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.nio.ByteBuffer;

/**
 * A frame of fixed length, in either direction of a connection: the length of what follows, the number of the request,
 * its lane, and a payload that is sent back. Immutable.
 */
final class Frame {
    /** Bytes of a payload. */
    static final int PAYLOAD = 4 * Long.BYTES;
    /** Bytes of a frame. */
    static final int BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES + PAYLOAD;
    /** The lane of a request for {@link ServerTally}, which no handler sees. */
    static final int TALLY = -1;

    private static final int LENGTH = BYTES - Integer.BYTES;

    private Frame() {}

    /** Writes one with a payload of zeros. */
    static void put(ByteBuffer to, long number, int lane) {
        to.putInt(LENGTH).putLong(number).putInt(lane).position(to.position() + PAYLOAD);
    }

    /** Reads the head; the payload comes next. */
    static Head head(ByteBuffer from) {
        int length = from.getInt();
        if (length != LENGTH) {
            throw new IllegalStateException("frame of " + length + " bytes (expected: " + LENGTH + ")");
        }
        return new Head(from.getLong(), from.getInt());
    }

    /** Number and lane of a request. Immutable. */
    record Head(long number, int lane) {}
}
