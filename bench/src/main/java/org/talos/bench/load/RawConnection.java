// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One keep-alive HTTP/1.1 connection that sends requests made beforehand and reads answers with a Content-Length: as
 * little client as can be, so that the server decides what is measured.
 *
 * <p>Confined: one thread.
 */
public final class RawConnection implements AutoCloseable {
    private static final int STATUS_AT = "HTTP/1.1 ".length();
    private static final String LENGTH = "content-length:";

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private byte[] buffer = new byte[16 << 10];
    private int length;
    private int bodyAt;
    private int bodyLength;

    /** Connects. */
    public RawConnection(URI server) throws IOException {
        socket = new Socket(server.getHost(), server.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    /** Sends a request and reads its answer; returns the status. */
    public int exchange(byte[] request) throws IOException {
        out.write(request);
        length = 0;
        bodyAt = -1;
        while (bodyAt < 0 || length < bodyAt + bodyLength) {
            if (length == buffer.length) {
                buffer = java.util.Arrays.copyOf(buffer, 2 * buffer.length);
            }
            int read = in.read(buffer, length, buffer.length - length);
            if (read < 0) {
                throw new EOFException("the server closed the connection");
            }
            length += read;
            if (bodyAt < 0) {
                findBody();
            }
        }
        return (buffer[STATUS_AT] - '0') * 100 + (buffer[STATUS_AT + 1] - '0') * 10 + (buffer[STATUS_AT + 2] - '0');
    }

    private void findBody() throws IOException {
        for (int i = 0; i + 3 < length; i++) {
            if (buffer[i] == '\r' && buffer[i + 1] == '\n' && buffer[i + 2] == '\r' && buffer[i + 3] == '\n') {
                String head = new String(buffer, 0, i, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                int at = head.indexOf(LENGTH);
                if (at < 0) {
                    throw new IOException("an answer without Content-Length");
                }
                int end = head.indexOf('\r', at);
                bodyLength = Integer.parseInt(head.substring(at + LENGTH.length(), end < 0 ? head.length() : end)
                        .trim());
                bodyAt = i + 4;
                return;
            }
        }
    }

    /** A byte of the last answer's body. */
    public int bodyByte(int index) {
        return index < bodyLength ? buffer[bodyAt + index] & 0xff : -1;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
