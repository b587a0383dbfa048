// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client that sends the bytes it is given and no others: for requests that no library would send. Confined: one
 * thread.
 */
final class RawConnection implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    RawConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** An answer. Immutable. */
    record Reply(int status, Map<String, String> headers, String text) {
        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    RawConnection send(String text) throws IOException {
        return send(text.getBytes(ISO_8859_1));
    }

    RawConnection send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** The next answer; an interim one has no body. */
    Reply reply() throws IOException {
        String[] statusLine = line().split(" ", 3);
        int status = Integer.parseInt(statusLine[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("a body of " + body.length + " bytes instead of " + length);
        }
        return new Reply(status, headers, new String(body, UTF_8));
    }

    /** This number of bytes of whatever comes next. */
    byte[] next(int bytes) throws IOException {
        byte[] next = in.readNBytes(bytes);
        if (next.length < bytes) {
            throw new EOFException(next.length + " bytes instead of " + bytes);
        }
        return next;
    }

    /** Returns whether the server has ended the connection, and nothing more was on it. Waits for it. */
    boolean atEnd() throws IOException {
        return in.read() < 0;
    }

    /** Waits until the server ends the connection, whatever comes before. */
    void readToEnd() throws IOException {
        in.readAllBytes();
    }

    /** Sets how long to wait for the next byte. */
    void timeout(Duration timeout) throws IOException {
        socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    }

    /** Resets the connection. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("ended after: " + line.toString(ISO_8859_1));
            }
            line.write(next);
        }
        return line.toString(ISO_8859_1).trim();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
