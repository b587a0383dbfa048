// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Accepts the frames of a WebSocket, whose texts go to another check. Confined: its connection. */
public final class WebSocketCheck implements Check {
    private static final int OP_CODE = 0x0f;
    private static final int LAST = 0x80;
    private static final int RESERVED = 0x70;
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int CLOSE = 8;
    private static final int PONG = 10;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final int MASKED_LONG = 0xfe;

    private final Check texts;
    private final Ending ending;
    private final ByteBuffer head = ByteBuffer.allocate(10);
    private int headBytes = 2;
    private long left = -1; // of the frame's payload; negative while its head is read
    private boolean closed;

    /** Handles the end of a text. Confined: the connection. */
    @FunctionalInterface
    public interface Ending {
        /**
         * Handles the end of a text.
         *
         * @throws ForeignBytesException the text must not be received
         */
        void ended() throws ForeignBytesException;
    }

    /**
     * Creates the check of one connection.
     *
     * @param texts checks the pieces of all texts
     * @param ending called after each text
     */
    public WebSocketCheck(Check texts, Ending ending) {
        this.texts = texts;
        this.ending = ending;
    }

    /** Returns the headers, each with its line's end, of a request that opens a stream of JSON. */
    public static String upgrade() {
        return String.join(
                "\r\n",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Protocol: talos.v1.json",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                "");
    }

    /** Returns the frame of a text from a client, whose mask of zeros changes nothing. */
    public static byte[] text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(LAST | TEXT);
        frame.write(MASKED_LONG);
        frame.write(bytes.length >> 8);
        frame.write(bytes.length);
        frame.writeBytes(new byte[4]);
        frame.writeBytes(bytes);
        return frame.toByteArray();
    }

    /** Returns whether the server has closed the stream, which it does with a reason. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        while (bytes.hasRemaining() || left == 0) {
            if (left < 0) {
                head.put(bytes.get());
                head(bytes);
            } else {
                payload(bytes);
            }
        }
    }

    private void head(ByteBuffer bytes) throws ForeignBytesException {
        if (head.position() == 2) {
            if (!isKnown(head.get(0) & OP_CODE) || (head.get(0) & RESERVED) != 0 || head.get(1) < 0) {
                throw new ForeignBytesException("no frame of a WebSocket", bytes.position(bytes.position() - 1));
            }
            headBytes = 2 + lengthBytes(head.get(1));
        }
        if (head.position() == headBytes) {
            left = switch (headBytes) {
                case 2 -> head.get(1);
                case 4 -> head.getShort(2) & 0xffff;
                default -> head.getLong(2);
            };
        }
    }

    private static boolean isKnown(int opCode) {
        return opCode == CONTINUATION || opCode == TEXT || (opCode >= CLOSE && opCode <= PONG);
    }

    private static int lengthBytes(int length) {
        return switch (length) {
            case SHORT_LENGTH -> Short.BYTES;
            case LONG_LENGTH -> Long.BYTES;
            default -> 0;
        };
    }

    private void payload(ByteBuffer bytes) throws ForeignBytesException {
        int count = (int) Math.min(left, bytes.remaining());
        ByteBuffer piece = bytes.slice(bytes.position(), count);
        bytes.position(bytes.position() + count);
        left -= count;
        boolean control = (head.get(0) & OP_CODE) >= CLOSE;
        if (!control) {
            texts.accept(piece);
        }
        if (left == 0) {
            boolean last = head.get(0) < 0;
            closed |= (head.get(0) & OP_CODE) == CLOSE;
            head.clear();
            headBytes = 2;
            left = -1;
            if (last && !control) {
                ending.ended();
            }
        }
    }
}
