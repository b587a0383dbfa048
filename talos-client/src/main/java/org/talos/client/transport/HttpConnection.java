// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import org.talos.client.transport.socket.TlsAnswerException;
import org.talos.client.transport.socket.Wire;

/**
 * A connection of HTTP/1.1, with or without TLS, for one request after another. The body of an answer is read directly
 * into its final array.
 *
 * <p>Invariant: an interrupt of the thread that uses it closes it.
 *
 * <p>Confined: one call at a time; the pool while it is idle.
 */
final class HttpConnection {
    private static final int MOST_HEAD_BYTES = 64 << 10;
    /** The bytes that are allocated for an announced answer, which may be shorter; far above the default of a get. */
    private static final int BELIEVED_BYTES = 16 << 20;

    private final Wire wire;
    private final int mostBytes;
    private int headBytes; // of the current answer, or of its current chunk
    private boolean isReusable;

    /**
     * Creates a connection that has just been opened.
     *
     * @param mostBytes of the body of an answer
     */
    HttpConnection(Wire wire, int mostBytes) {
        this.wire = wire;
        this.mostBytes = mostBytes;
    }

    /** Returns whether the server has neither closed the connection nor sent anything since the last answer. */
    boolean isAlive() {
        return wire.isAlive();
    }

    /** Returns whether all of the last answer was read, and the server keeps the connection. */
    boolean isReusable() {
        return isReusable;
    }

    /** Closes the connection, and notifies the server if no call has failed on it. */
    void close() {
        if (isReusable) {
            wire.disconnect();
        } else {
            wire.close();
        }
    }

    /**
     * Sends a request and reads its answer. Close the connection after a failure.
     *
     * @throws UnsentException the server got a part of the request at most
     * @throws ClosedByInterruptException how much of the request the server got is unknown
     * @throws CallFailure the answer is too large; or nothing was sent, as memory is short
     */
    HttpAnswer exchange(ByteBuffer head, List<ByteBuffer> body) throws IOException, CallFailure {
        isReusable = false;
        long before = wire.written();
        boolean isSent = false;
        try {
            List<ByteBuffer> request = new ArrayList<>(List.of(head));
            request.addAll(body);
            wire.write(request);
            isSent = true;
            return receive();
        } catch (ClosedByInterruptException e) { // may also occur after the system has taken all bytes
            throw e;
        } catch (SSLException e) { // the server may still wait for the rest: it says nothing
            throw isSent ? e : new UnsentException(e);
        } catch (IOException e) {
            if (isSent) {
                throw e;
            }
            return refusal(e);
        } catch (Error e) { // no memory is left for its bytes
            if (wire.written() > before) {
                throw e;
            }
            throw CallFailure.ofClient("the request cannot be sent: " + e, e);
        } finally {
            wire.release();
        }
    }

    /** Returns the answer that a server may have sent before it left a request half read. */
    private HttpAnswer refusal(IOException unsent) throws IOException, CallFailure {
        try {
            HttpAnswer answer = receive();
            isReusable = false;
            return answer;
        } catch (TlsAnswerException e) {
            throw e;
        } catch (IOException e) {
            unsent.addSuppressed(e);
            throw new UnsentException(unsent);
        }
    }

    private HttpAnswer receive() throws IOException, CallFailure {
        headBytes = 0;
        wire.await();
        AnswerHead head = head();
        while (head.isInterim()) {
            wire.await();
            head = head();
        }
        byte[] body = body(head.bodyLength());
        isReusable = head.isKeptAlive() && wire.isQuiet();
        return new HttpAnswer(head.status(), head.headers(), body);
    }

    private AnswerHead head() throws IOException {
        AnswerHead head = new AnswerHead(line());
        for (String line = line(); !line.isEmpty(); line = line()) {
            head.add(line);
        }
        return head;
    }

    private byte[] body(long length) throws IOException, CallFailure {
        if (length == AnswerHead.CHUNKED) {
            return chunks();
        }
        if (length == AnswerHead.TO_THE_END) {
            return rest();
        }
        byte[] body = new byte[Math.min(within(length), BELIEVED_BYTES)];
        int at = 0;
        while (at < length) {
            body = at < body.length ? body : Arrays.copyOf(body, (int) Math.min(length, 2L * at));
            at = read(body, at, body.length);
        }
        return body;
    }

    private byte[] chunks() throws IOException, CallFailure {
        byte[] body = new byte[0];
        int at = 0;
        for (int bytes = chunk(); bytes > 0; bytes = chunk()) {
            int end = within((long) at + bytes);
            while (at < end) {
                body = at < body.length ? body : grown(body, Math.min(end, (long) at + BELIEVED_BYTES));
                at = read(body, at, Math.min(end, body.length));
            }
            if (!line().isEmpty()) {
                throw new ProtocolException("an answer with a chunk that is longer than it says");
            }
        }
        while (!line().isEmpty()) {
            headBytes++; // the bytes behind the last chunk are of no use
        }
        return Arrays.copyOf(body, at);
    }

    private int chunk() throws IOException {
        headBytes = 0; // there may be as many chunks as bytes
        String size = line().split(";", 2)[0].strip();
        if (!size.matches("[0-9a-fA-F]{1,7}")) {
            throw new ProtocolException("an answer with a chunk of no size");
        }
        return Integer.parseInt(size, 16);
    }

    private byte[] rest() throws IOException, CallFailure {
        byte[] body = new byte[0];
        int at = 0;
        while (wire.arrived().hasRemaining() || wire.fill()) {
            int end = within((long) at + wire.arrived().remaining());
            body = end <= body.length ? body : grown(body, end);
            at = read(body, at, end);
        }
        return Arrays.copyOf(body, at);
    }

    /** Returns an array with room for this number of bytes at least, or twice as many as before. */
    private static byte[] grown(byte[] body, long bytes) {
        return Arrays.copyOf(body, (int) Math.max(bytes, Math.min(2L * body.length, Integer.MAX_VALUE - Long.BYTES)));
    }

    private int within(long bytes) throws CallFailure {
        if (bytes > mostBytes) {
            throw new CallFailure(
                    "MALFORMED",
                    false,
                    false,
                    "an answer of " + bytes + " bytes (expected: " + mostBytes + " at most)",
                    null);
        }
        return (int) bytes;
    }

    /** Fills an array up to an end; returns the end. */
    private int read(byte[] target, int from, int end) throws IOException {
        int at = from;
        while (at < end) {
            int bytes = wire.read(target, at, end);
            if (bytes < 0) {
                throw ended();
            }
            at += bytes;
        }
        return at;
    }

    /** Returns the next line of a head, without its end. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            char next = next();
            if (++headBytes > MOST_HEAD_BYTES) {
                throw new ProtocolException("an answer with a head of more than " + MOST_HEAD_BYTES + " bytes");
            }
            if (next == '\n') {
                break;
            }
            line.append(next);
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }

    private char next() throws IOException {
        if (!wire.arrived().hasRemaining() && !wire.fill()) {
            throw ended();
        }
        return (char) (wire.arrived().get() & 0xff);
    }

    private static EOFException ended() {
        return new EOFException("the connection was closed before the end of the answer");
    }
}
