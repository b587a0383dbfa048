// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.WebSocketConnection;
import org.eclipse.jetty.websocket.core.WebSocketCoreSession;
import org.eclipse.jetty.websocket.core.internal.Parser;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unmasks clients' frames (RFC 6455, 5.3), eight bytes at a time; Jetty does so byte by byte. Jetty has no way to give
 * a connection a parser, so this parser replaces Jetty's own in its field. If there is no such field, Jetty's own
 * stays.
 *
 * <p>Confined: the reading of its connection.
 */
public final class Unmasking extends Parser {
    private static final Logger LOG = LoggerFactory.getLogger(Unmasking.class);
    private static final @Nullable Field PARSER = parser();
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    /** The parser of a connection, which {@link #use} gives to it. */
    Unmasking(CoreSession session) {
        super(session.getByteBufferPool(), session);
    }

    private static @Nullable Field parser() {
        try {
            Field found = WebSocketConnection.class.getDeclaredField("parser");
            found.setAccessible(true);
            return found;
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("falling back to slower unmasking by Jetty", e);
            return null;
        }
    }

    /** Sets it for a connection. To be called before its first frame is read. */
    public static void use(CoreSession opened) {
        if (PARSER != null && opened instanceof WebSocketCoreSession session) {
            try {
                PARSER.set(session.getConnection(), new Unmasking(opened));
            } catch (ReflectiveOperationException e) {
                LOG.debug("unmasking by Jetty", e);
            }
        }
    }

    /** Returns whether connections can use it. */
    static boolean isPossible() {
        return PARSER != null;
    }

    @Override
    protected Frame.Parsed newFrame(
            byte first, byte @Nullable [] mask, @Nullable ByteBuffer payload, @Nullable Runnable releaser) {
        if (mask != null && payload != null) { // an empty frame has none
            unmask(payload, mask);
        }
        Frame.Parsed frame = new Frame.Parsed(first, null, payload, releaser);
        frame.setMask(mask); // whether it had one is looked at behind this
        return frame;
    }

    /** Takes the mask off in place, from the position to the limit. */
    static void unmask(ByteBuffer payload, byte[] mask) {
        int four = ByteBuffer.wrap(mask).getInt();
        if (four == 0) {
            return;
        }
        long eight = ((long) four << Integer.SIZE) | (four & LOW_HALF);
        ByteBuffer bytes = payload.duplicate().order(ByteOrder.BIG_ENDIAN);
        int at = bytes.position();
        int end = bytes.limit();
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            bytes.putLong(at, bytes.getLong(at) ^ eight);
        }
        for (int i = 0; at < end; at++, i++) {
            bytes.put(at, (byte) (bytes.get(at) ^ mask[i & 3]));
        }
    }
}
