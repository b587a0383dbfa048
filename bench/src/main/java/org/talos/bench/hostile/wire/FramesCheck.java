// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Accepts the frames of HTTP/2 that a server sends, whose bodies have a check for each stream. The head of an answer is
 * looked at for its status only. Lets the connection's owner know which streams ended.
 *
 * <p>Confined: its connection.
 */
public final class FramesCheck implements Check {
    private static final int HEAD_BYTES = 9;
    private static final int LARGEST = 16 << 10;
    private static final Set<Integer> KNOWN = Set.of(
            Http2.DATA,
            Http2.HEADERS,
            Http2.RESET,
            Http2.SETTINGS,
            Http2.PING,
            Http2.GOAWAY,
            Http2.WINDOW_UPDATE,
            Http2.CONTINUATION);
    private static final int STATUS_200 = 0x88; // HPACK: always an index of the static table
    private static final int TABLE_SIZE = 0x20; // of the dynamic table, which may stand before
    private static final int TABLE_SIZE_MASK = 0xe0;
    private static final int LARGEST_IN_FIRST_BYTE = 0x1f;
    private static final int CONTINUES = 0x80;

    private final Supplier<Check> successes;
    private final Map<Integer, Check> streams = new HashMap<>();
    private final ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
    private final ByteBuffer payload = ByteBuffer.allocate(LARGEST);
    private int type;
    private int flags;
    private int stream;
    private int left;
    private boolean inPayload;
    private long dataBytes;
    private long ended;
    private long refused;
    private boolean goneAway;

    /**
     * Creates the check of one connection.
     *
     * @param successes makes the check of the next body of a 200; other bodies are refusals
     */
    public FramesCheck(Supplier<Check> successes) {
        this.successes = successes;
    }

    /** Returns the number of bytes of DATA frames. */
    public long dataBytes() {
        return dataBytes;
    }

    /** Returns the number of streams that the server ended, by an answer or a reset. */
    public long ended() {
        return ended;
    }

    /** Returns the number of answers that were not a 200, and of resets. */
    public long refused() {
        return refused;
    }

    /** Returns whether the server announced the end of the connection. */
    public boolean isGoneAway() {
        return goneAway;
    }

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        while (bytes.hasRemaining() || (inPayload && left == 0)) {
            if (inPayload) {
                payload(bytes);
            } else {
                head.put(bytes.get());
                if (!head.hasRemaining()) {
                    begin();
                }
            }
        }
    }

    private void begin() throws ForeignBytesException {
        head.flip();
        left = (head.get() & 0xff) << 16 | (head.getShort() & 0xffff);
        type = head.get();
        flags = head.get() & 0xff;
        stream = head.getInt();
        if (!KNOWN.contains(type) || left > LARGEST || stream < 0) {
            throw new ForeignBytesException("no frame of HTTP/2", head.rewind());
        }
        head.clear();
        payload.clear();
        inPayload = true;
    }

    private void payload(ByteBuffer bytes) throws ForeignBytesException {
        int count = Math.min(left, bytes.remaining());
        ByteBuffer piece = bytes.slice(bytes.position(), count);
        bytes.position(bytes.position() + count);
        left -= count;
        if (type == Http2.DATA) {
            dataBytes += count;
            Check check = streams.get(stream);
            if (check == null) {
                throw new ForeignBytesException("DATA without a head on stream " + stream, piece);
            }
            check.accept(piece);
        } else {
            payload.put(piece);
        }
        if (left == 0) {
            inPayload = false;
            end();
        }
    }

    private void end() throws ForeignBytesException {
        payload.flip();
        switch (type) {
            case Http2.HEADERS -> headOfAnswer();
            case Http2.RESET -> {
                length(4);
                ended++;
                refused++;
            }
            case Http2.SETTINGS -> length(payload.limit() / 6 * 6);
            case Http2.PING -> length(8);
            case Http2.WINDOW_UPDATE -> length(4);
            case Http2.GOAWAY -> goneAway = true;
            default -> {}
        }
        if ((type == Http2.HEADERS || type == Http2.DATA) && (flags & Http2.END_STREAM) != 0) {
            ended++;
        }
    }

    private void headOfAnswer() {
        if (streams.containsKey(stream)) {
            return; // trailers
        }
        if ((first() & TABLE_SIZE_MASK) == TABLE_SIZE) {
            boolean continues = (payload.get() & LARGEST_IN_FIRST_BYTE) == LARGEST_IN_FIRST_BYTE;
            while (continues && payload.hasRemaining()) {
                continues = (payload.get() & CONTINUES) != 0;
            }
        }
        boolean success = first() == STATUS_200;
        if (!success) {
            refused++;
        }
        streams.put(stream, success ? successes.get() : new RefusalCheck());
    }

    private int first() {
        return payload.hasRemaining() ? payload.get(payload.position()) & 0xff : 0;
    }

    private void length(int expected) throws ForeignBytesException {
        if (payload.limit() != expected) {
            throw new ForeignBytesException("a frame of type " + type + " of a wrong length", payload);
        }
    }
}
