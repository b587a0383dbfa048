// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a whole stream up to a bound, whatever size the compressed block declares. Immutable. */
final class BoundedBytes {
    private static final int STEP_BYTES = 16 << 10;

    private BoundedBytes() {}

    /** The bytes of a stream; fails if there are more than {@code maxBytes}. */
    static byte[] readAll(InputStream in, long maxBytes) throws IOException, MalformedBlockException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] step = new byte[STEP_BYTES];
        for (int read = in.read(step); read >= 0; read = in.read(step)) {
            if (out.size() + (long) read > maxBytes) {
                throw new MalformedBlockException("the block holds more than " + maxBytes + " bytes");
            }
            out.write(step, 0, read);
        }
        return out.toByteArray();
    }
}
