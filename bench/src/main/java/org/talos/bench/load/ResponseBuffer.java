// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * One HTTP/1.1 response as it comes in, with a Content-Length; nothing else is understood.
 *
 * <p>Confined: the loop's thread.
 */
final class ResponseBuffer {
    private static final int FIRST_BYTES = 4 << 10;
    private static final int STATUS_AT = 9;
    private static final String LENGTH = "\r\ncontent-length:";

    private ByteBuffer in = ByteBuffer.allocate(FIRST_BYTES);
    private int bodyAt;
    private int end;

    /** Forgets the last response. */
    void clear() {
        in.clear();
        bodyAt = 0;
        end = 0;
    }

    /**
     * Reads what is there.
     *
     * @return whether the response is whole
     * @throws IOException the connection has ended or is broken, or this is no response that is understood
     */
    boolean read(ReadableByteChannel channel) throws IOException {
        while (true) {
            if (!in.hasRemaining()) {
                in = ByteBuffer.wrap(Arrays.copyOf(in.array(), in.capacity() * 2))
                        .position(in.capacity());
            }
            int read = channel.read(in);
            if (read < 0) {
                throw new IOException("connection closed by the server");
            }
            if (whole()) {
                return true;
            }
            if (read == 0) {
                return false;
            }
        }
    }

    private boolean whole() throws IOException {
        if (bodyAt == 0 && !parseHead()) {
            return false;
        }
        if (in.position() > end) {
            throw new IOException("bytes behind the response");
        }
        return in.position() == end;
    }

    private boolean parseHead() throws IOException {
        byte[] bytes = in.array();
        int last = in.position() - 4;
        int at = 0;
        while (at <= last
                && (bytes[at] != '\r' || bytes[at + 1] != '\n' || bytes[at + 2] != '\r' || bytes[at + 3] != '\n')) {
            at++;
        }
        if (at > last) {
            return false;
        }
        String head = new String(bytes, 0, at + 2, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        int length = head.indexOf(LENGTH);
        if (length < 0) {
            throw new IOException("a response without Content-Length: " + head);
        }
        int from = length + LENGTH.length();
        bodyAt = at + 4;
        end = bodyAt
                + Integer.parseInt(
                        head.substring(from, head.indexOf('\r', from)).strip());
        return true;
    }

    /** The response's status. */
    int status() {
        byte[] bytes = in.array();
        return (bytes[STATUS_AT] - '0') * 100 + (bytes[STATUS_AT + 1] - '0') * 10 + bytes[STATUS_AT + 2] - '0';
    }

    /** The response's body, until {@link #clear}. */
    ByteBuffer body() {
        return in.duplicate().limit(end).position(bodyAt).slice();
    }
}
