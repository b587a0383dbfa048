// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Reads a whole stream up to a bound, whatever size the compressed block declares. Immutable. */
final class BoundedBytes {
    private static final int FIRST_BYTES = 16 << 10;
    private static final int LARGEST_BYTES = 1 << 20;

    private BoundedBytes() {}

    /** Returns the bytes of a stream; fails if there are more than {@code maxBytes}. Holds twice as many at most. */
    static byte[] readAll(InputStream in, long maxBytes) throws IOException, MalformedBlockException {
        List<byte[]> pieces = new ArrayList<>(); // an array that grows would be held three times
        byte[] piece = new byte[FIRST_BYTES];
        long all = 0;
        int read = in.readNBytes(piece, 0, piece.length);
        while (read == piece.length) {
            pieces.add(piece);
            all = within(all + read, maxBytes);
            piece = new byte[Math.min(2 * piece.length, LARGEST_BYTES)];
            read = in.readNBytes(piece, 0, piece.length);
        }
        all = within(all + read, maxBytes);
        byte[] whole = new byte[Math.toIntExact(all)];
        int at = 0;
        for (byte[] each : pieces) {
            System.arraycopy(each, 0, whole, at, each.length);
            at += each.length;
        }
        System.arraycopy(piece, 0, whole, at, read);
        return whole;
    }

    private static long within(long bytes, long maxBytes) throws MalformedBlockException {
        if (bytes > maxBytes) {
            throw MalformedBlockException.tooLarge(maxBytes);
        }
        return bytes;
    }
}
