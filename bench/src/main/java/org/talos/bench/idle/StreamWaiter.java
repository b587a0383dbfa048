// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection with a subscription over a WebSocket (docs/formats/stream.md). Confined: the loop's thread. */
final class StreamWaiter extends Waiter {
    private static final byte[] HEAD_END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int FIN = 0x80;
    private static final int BINARY = 2;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final int MASKED = 0x80;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final byte SUBSCRIBE = 3;
    private static final byte BLOCK = (byte) 0x85;
    private static final byte ENDED = (byte) 0x86;
    private static final int ENDED_HEAD = 8;
    private static final byte OPENED = (byte) 0x81;
    private static final long FROM_END = -2;

    private byte[] come = new byte[0]; // and not whole yet
    private boolean asked;
    private boolean upgraded;

    StreamWaiter(Wire wire, Place place) {
        super(wire, place);
    }

    @Override
    void ask() throws IOException {
        if (!asked) { // it continues by itself
            asked = true;
            send(place().get("/stream") + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: talos.v1\r\n\r\n");
        }
    }

    @Override
    List<Heard> take(ByteBuffer bytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(come.length + bytes.remaining());
        all.put(come).put(bytes).flip();
        List<Heard> heard = new ArrayList<>();
        if (upgraded || takeHead(all.array(), all)) {
            for (Heard next = takeFrame(all); next != null; next = takeFrame(all)) {
                heard.add(next);
            }
        }
        come = Arrays.copyOfRange(all.array(), all.position(), all.limit());
        return heard;
    }

    private boolean takeHead(byte[] bytes, ByteBuffer all) throws IOException {
        for (int end = 0; end + HEAD_END.length <= all.limit(); end++) {
            if (Arrays.equals(bytes, end, end + HEAD_END.length, HEAD_END, 0, HEAD_END.length)) {
                String head = new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
                if (!head.startsWith("HTTP/1.1 101")) {
                    throw new IOException(head.lines().findFirst().orElse("nothing"));
                }
                upgraded = true;
                all.position(end + HEAD_END.length);
                return true;
            }
        }
        return false;
    }

    /** One whole frame; null, and what there is of it stays, if it is not whole. */
    private @Nullable Heard takeFrame(ByteBuffer all) throws IOException {
        ByteBuffer frame = all.slice();
        if (frame.remaining() < 2) {
            return null;
        }
        int code = frame.get() & 0x0f;
        long length = frame.get();
        int more = length == SHORT_LENGTH ? Short.BYTES : length == LONG_LENGTH ? Long.BYTES : 0;
        if (frame.remaining() < more) {
            return null;
        }
        length = more == 0 ? length : more == Short.BYTES ? frame.getShort() & 0xffff : frame.getLong();
        if (frame.remaining() < length) {
            return null;
        }
        all.position(all.position() + frame.position() + (int) length);
        return code == BINARY ? heard(frame, (int) length) : control(code, frame, (int) length);
    }

    private Heard control(int code, ByteBuffer frame, int length) throws IOException {
        if (code == PONG) {
            return Heard.SIGN; // which nothing was asked for, nor is it answered
        }
        if (code != PING) {
            throw new IOException("the server has ended a stream: frame " + code);
        }
        byte[] echo = new byte[length];
        frame.get(echo);
        sendFrame(PONG, echo);
        return Heard.SIGN;
    }

    private Heard heard(ByteBuffer message, int length) throws IOException {
        byte type = length == 0 ? 0 : message.get();
        return switch (type) {
            case OPENED -> {
                ByteBuffer subscribe = ByteBuffer.allocate(16).put(SUBSCRIBE).position(4);
                sendFrame(
                        BINARY,
                        subscribe.putInt(place().partition()).putLong(FROM_END).array());
                yield Heard.OPENED;
            }
            case BLOCK -> Heard.MESSAGE;
            case ENDED ->
                throw new IOException("the server has ended a subscription: "
                        + StandardCharsets.UTF_8.decode(
                                message.slice(message.position() + ENDED_HEAD - 1, length - ENDED_HEAD)));
            default -> Heard.SIGN;
        };
    }

    /** Under a mask of zeros, which changes nothing. */
    private void sendFrame(int code, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(6 + payload.length);
        frame.put((byte) (FIN | code)).put((byte) (MASKED | payload.length)).putInt(0);
        send(frame.put(payload).array());
    }
}
