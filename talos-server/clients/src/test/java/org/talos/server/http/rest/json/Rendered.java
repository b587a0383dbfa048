// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.talos.server.http.body.Body;

/** Renders bodies, in buffers of one size or another. */
public final class Rendered {
    private Rendered() {}

    public static byte[] bytes(Body body, int bufferBytes) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(bufferBytes);
        while (!body.isDone()) {
            body.fill(buffer.clear());
            if (buffer.position() == 0 && !body.isDone()) {
                throw new AssertionError("no progress in " + bufferBytes + " bytes");
            }
            all.write(buffer.array(), 0, buffer.position());
        }
        return all.toByteArray();
    }

    public static String text(Body body) {
        return new String(bytes(body, 1 << 10), StandardCharsets.UTF_8);
    }
}
