// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Encodes what a client of HTTP/2 sends, in the clear and without negotiation. Confined: its connection. */
public final class Http2 {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RESET = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int END_OF_HEADERS = 4;
    private static final int INITIAL_WINDOW = 4;
    private static final int FRAME_HEAD_BYTES = 9;
    private static final int CANCEL = 8;
    private static final int LARGEST_WINDOW = Integer.MAX_VALUE;
    private static final int FIRST_WINDOW = 65_535;

    /** HPACK, RFC 7541: of the static table, and literals that are not indexed. */
    private static final int METHOD_GET = 0x82;

    private static final int SCHEME_HTTP = 0x86;
    private static final int AUTHORITY = 1;
    private static final int PATH = 4;
    private static final int NEW_NAME = 0;
    private static final int LONGEST_IN_ONE_BYTE = 127;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final String authority;
    private int nextStream = 1;

    private Http2(String authority, int window) {
        this.authority = authority;
        out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
        frame(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6)
                        .putShort((short) INITIAL_WINDOW)
                        .putInt(window)
                        .array());
    }

    /**
     * Begins a connection.
     *
     * @param window bytes that the server may send on each stream
     */
    public static Http2 begin(String authority, int window) {
        return new Http2(authority, window);
    }

    /** Begins a connection on which the server may send as much as it likes. */
    public static Http2 open(String authority) {
        Http2 begun = new Http2(authority, LARGEST_WINDOW);
        begun.frame(WINDOW_UPDATE, 0, 0, number(LARGEST_WINDOW - FIRST_WINDOW));
        return begun;
    }

    /** Requests a path on a stream of its own; returns the stream. */
    public int get(String path, String... headers) {
        int stream = nextStream;
        nextStream += 2;
        frame(HEADERS, END_STREAM | END_OF_HEADERS, stream, head(path, headers));
        return stream;
    }

    /** Begins a head of the given length and sends half of it. */
    public void halfHead(int bytes) {
        byte[] whole = new byte[bytes];
        frameHead(HEADERS, END_STREAM | END_OF_HEADERS, nextStream, bytes);
        out.write(whole, 0, bytes / 2);
    }

    /** Resets a stream. */
    public void reset(int stream) {
        frame(RESET, 0, stream, number(CANCEL));
    }

    /** Returns the bytes that were encoded since the last call. */
    public byte[] take() {
        byte[] taken = out.toByteArray();
        out.reset();
        return taken;
    }

    private byte[] head(String path, String... headers) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(METHOD_GET);
        head.write(SCHEME_HTTP);
        head.write(AUTHORITY);
        text(head, authority);
        head.write(PATH);
        text(head, path);
        for (int i = 0; i < headers.length; i += 2) {
            head.write(NEW_NAME);
            text(head, headers[i]);
            text(head, headers[i + 1]);
        }
        return head.toByteArray();
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private void frame(int type, int flags, int stream, byte[] payload) {
        frameHead(type, flags, stream, payload.length);
        out.writeBytes(payload);
    }

    private void frameHead(int type, int flags, int stream, int length) {
        out.writeBytes(ByteBuffer.allocate(FRAME_HEAD_BYTES)
                .put((byte) (length >> 16))
                .putShort((short) length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < LONGEST_IN_ONE_BYTE) {
            out.write(bytes.length);
        } else {
            out.write(LONGEST_IN_ONE_BYTE);
            int rest = bytes.length - LONGEST_IN_ONE_BYTE;
            while (rest > LONGEST_IN_ONE_BYTE) {
                out.write((rest & LONGEST_IN_ONE_BYTE) | 0x80);
                rest >>= 7;
            }
            out.write(rest);
        }
        out.writeBytes(bytes);
    }
}
