// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.LongAdder;

/** Begins gets over HTTP/2 and resets each at once, until the server ends the connection. Confined: its thread. */
final class ResetLoad implements NeighborLoad {
    /** Another one of this machine than the good user's: the server refuses the address of such a load. */
    private static final String ADDRESS = "127.0.0.2";

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int REQUESTS = 1_000;
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_OF_STREAM_AND_HEADERS = 5;
    private static final byte[] CANCEL = {0, 0, 0, 8};
    private static final int FRAME_HEAD_BYTES = 9;
    /** HPACK, RFC 7541: of the static table, and literals that are not indexed, shorter than 127 bytes. */
    private static final int METHOD_GET = 0x82;

    private static final int SCHEME_HTTP = 0x86;
    private static final int AUTHORITY = 1;
    private static final int PATH = 4;
    private static final int NEW_NAME = 0;

    private final NeighborTarget target;
    private final byte[] bytes;

    ResetLoad(NeighborTarget target) {
        this.target = target;
        bytes = bytes(target);
    }

    private static byte[] bytes(NeighborTarget target) {
        String pair = target.keyId() + ":" + target.secret();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(METHOD_GET);
        head.write(SCHEME_HTTP);
        text(head, AUTHORITY, target.authority());
        text(head, PATH, "/v1/topics/" + target.topic() + "/partitions/0/messages?wait=10000&from=latest");
        text(head, NEW_NAME, "authorization");
        text(head, "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
        frame(out, SETTINGS, 0, 0, new byte[0]);
        for (int i = 0; i < REQUESTS; i++) {
            frame(out, HEADERS, END_OF_STREAM_AND_HEADERS, 2 * i + 1, head.toByteArray());
            frame(out, RST_STREAM, 0, 2 * i + 1, CANCEL);
        }
        return out.toByteArray();
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.writeBytes(ByteBuffer.allocate(FRAME_HEAD_BYTES)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        out.writeBytes(payload);
    }

    private static void text(ByteArrayOutputStream head, int name, String text) {
        head.write(name);
        text(head, text);
    }

    private static void text(ByteArrayOutputStream head, String text) {
        head.write(text.length());
        head.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void run(LongAdder done) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(ADDRESS, 0));
            socket.connect(target.address());
            socket.setSoTimeout(TIMEOUT_MILLIS);
            done.increment();
            socket.getOutputStream().write(bytes);
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                in.skipNBytes(in.available());
            }
        }
    }
}
