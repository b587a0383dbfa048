// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.TlsAnswerException;

/**
 * A connection of HTTP/1.1 without TLS, for one request after another. Bytes pass through one buffer outside of the
 * heap, in large pieces, and a body goes from there to the array where it stays. The buffer is lent: for the request,
 * and again for the answer behind its first bytes, which are waited for with a small one of the heap.
 *
 * <p>Always true: an interrupt of the thread that uses it closes it.
 *
 * <p>Confined: one call at a time; the pool while it is idle.
 */
final class PlainConnection {
    /** Enough for the answer to a put. */
    private static final int SMALL_BYTES = 1 << 10;

    /** The first byte of what a server says that waits for TLS. */
    private static final byte TLS_ALERT = 0x15;

    private static final int MOST_HEAD_BYTES = 64 << 10;
    /** What is allocated on the word of a server, which may send less; far above what a get asks for by default. */
    private static final int BELIEVED_BYTES = 16 << 20;

    private final SocketChannel channel;
    private final int mostBytes;
    private final LentBuffers buffers;
    private final ByteBuffer small = ByteBuffer.allocate(SMALL_BYTES).limit(0);
    private @Nullable ByteBuffer lent;
    private ByteBuffer buffer = small; // that or what is lent: to be sent; or received, and not yet read
    private int headBytes; // of the current answer, or of its current chunk
    private boolean isAwaited; // no byte of the answer has come
    private boolean isBegun; // a byte of the request has been written
    private boolean isReusable;

    private PlainConnection(SocketChannel channel, int mostBytes, LentBuffers buffers) {
        this.channel = channel;
        this.mostBytes = mostBytes;
        this.buffers = buffers;
    }

    /** Makes and connects channels. Immutable. */
    private static final class Channels implements Dialer.Sockets<SocketChannel> {
        @Override
        public SocketChannel make() throws IOException {
            return SocketChannel.open();
        }

        @Override
        public void connect(SocketChannel channel, InetSocketAddress to, Duration within) throws IOException {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.socket().connect(to, (int) Math.max(1, within.toMillis()));
        }
    }

    /**
     * Connects.
     *
     * @param within for each address of the host
     * @param mostBytes of the body of an answer
     * @param buffers for its bytes
     * @throws ConnectException there is no server
     * @throws IOException the system has no socket left, or the thread was interrupted
     */
    static PlainConnection open(
            Dialer dialer, String host, int port, Duration within, int mostBytes, LentBuffers buffers)
            throws IOException {
        SocketChannel channel = dialer.connect(host, port, within, new Channels());
        boolean isOpen = false;
        try {
            PlainConnection opened = new PlainConnection(channel, mostBytes, buffers);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) { // no memory is left
                channel.close();
            }
        }
    }

    /** Whether the server has neither closed the connection nor sent anything since the last answer. */
    boolean isAlive() {
        try {
            channel.configureBlocking(false);
            int read = channel.read(small.clear());
            small.limit(0);
            channel.configureBlocking(true);
            return read == 0;
        } catch (IOException | OutOfMemoryError e) {
            return false; // closed, and not to be used in either case
        }
    }

    /** Whether all of the last answer was read, and the server keeps the connection. */
    boolean isReusable() {
        return isReusable;
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            isReusable = false; // it is closed nevertheless
        }
    }

    /**
     * Sends a request and reads its answer. After a failure the connection is to be closed.
     *
     * @throws HttpSender.UnsentException the server got a part of the request at most
     * @throws ClosedByInterruptException how much of the request the server got is not known
     * @throws CallFailure the answer is too large; or nothing was sent, as memory is short
     */
    HttpAnswer exchange(ByteBuffer head, List<ByteBuffer> body) throws IOException, CallFailure {
        isReusable = false;
        isBegun = false;
        boolean isSent = false;
        try {
            send(head, body);
            isSent = true;
            return receive();
        } catch (ClosedByInterruptException e) { // a write fails by it also when the system has taken all of the bytes
            throw e;
        } catch (IOException e) {
            if (isSent) {
                throw e;
            }
            return refusal(e);
        } catch (Error e) { // no memory is left for its bytes
            if (isBegun) {
                throw e;
            }
            throw CallFailure.ofClient("the request can't be sent: " + e, e);
        } finally {
            giveBack();
        }
    }

    private void lend() {
        if (lent == null) {
            buffer = buffers.lend();
            lent = buffer;
        }
    }

    private void giveBack() {
        ByteBuffer used = lent;
        lent = null;
        buffer = small.limit(0);
        if (used != null) {
            buffers.giveBack(used);
        }
    }

    /** What a server may have said before it left a request half read. */
    private HttpAnswer refusal(IOException unsent) throws IOException, CallFailure {
        try {
            giveBack();
            HttpAnswer answer = receive();
            isReusable = false;
            return answer;
        } catch (TlsAnswerException e) {
            throw e;
        } catch (IOException e) {
            unsent.addSuppressed(e);
            throw new HttpSender.UnsentException(unsent);
        }
    }

    private void send(ByteBuffer head, List<ByteBuffer> body) throws IOException {
        lend();
        buffer.clear();
        copy(head);
        for (ByteBuffer part : body) {
            copy(part);
        }
        flush();
        giveBack();
    }

    private void copy(ByteBuffer from) throws IOException {
        int at = from.position();
        while (at < from.limit()) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int bytes = Math.min(from.limit() - at, buffer.remaining());
            buffer.put(buffer.position(), from, at, bytes);
            buffer.position(buffer.position() + bytes);
            at += bytes;
        }
    }

    private void flush() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            isBegun |= channel.write(buffer) > 0;
        }
        buffer.clear();
    }

    private HttpAnswer receive() throws IOException, CallFailure {
        headBytes = 0;
        isAwaited = true;
        need();
        if (buffer.get(buffer.position()) == TLS_ALERT) {
            throw new TlsAnswerException();
        }
        AnswerHead head = head();
        while (head.isInterim()) {
            isAwaited = !buffer.hasRemaining();
            head = head();
        }
        byte[] body = body(head.bodyLength());
        isReusable = head.isKeptAlive() && !buffer.hasRemaining();
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
            headBytes++; // what follows the last chunk is of no use
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
        while (buffer.hasRemaining() || fill()) {
            int end = within((long) at + buffer.remaining());
            body = end <= body.length ? body : grown(body, end);
            at = read(body, at, end);
        }
        return Arrays.copyOf(body, at);
    }

    /** With room for so many bytes at least, or twice as many as before. */
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

    /** Fills an array up to an end; returns that. */
    private int read(byte[] target, int from, int end) throws IOException {
        int at = from;
        while (at < end) {
            need();
            int bytes = Math.min(end - at, buffer.remaining());
            buffer.get(target, at, bytes);
            at += bytes;
        }
        return at;
    }

    /** The next line of a head, without its end. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            need();
            char next = (char) (buffer.get() & 0xff);
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

    private void need() throws IOException {
        if (!buffer.hasRemaining() && !fill()) {
            throw new EOFException("the connection was closed before the end of the answer");
        }
    }

    /** Waits for bytes; false if there will be none. An answer may be long in coming: nothing is lent until then. */
    private boolean fill() throws IOException {
        if (!isAwaited) {
            lend();
        }
        isAwaited = false;
        int read = channel.read(buffer.clear());
        buffer.flip();
        return read >= 0;
    }
}
