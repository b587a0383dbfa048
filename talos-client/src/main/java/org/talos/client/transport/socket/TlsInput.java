// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The bytes from a server under TLS. They go to a large buffer outside of the heap, where they are decrypted, and from
 * there to their destination, or to an array if that has no room for a whole record. Both are lent. While data may take
 * long to arrive, the input waits with small arrays of its own.
 *
 * <p>Confined: the thread that reads, or opens the connection.
 */
final class TlsInput {
    private static final int HEADER_BYTES = 5; // of a record
    /** Enough for the answer to a put. */
    private static final int SMALL_BYTES = 1 << 10;

    private static final ByteBuffer NOWHERE = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final TlsOutput output;
    private final LentBuffers buffers;
    private final EarlyCompilation compilation;
    private final ByteBuffer smallNet;
    private final ByteBuffer smallPlain = ByteBuffer.allocate(SMALL_BYTES).limit(0);
    private @Nullable ByteBuffer lentNet;
    private @Nullable ByteBuffer lentPlain;
    private ByteBuffer net; // small or lent: received, and not yet decrypted
    private ByteBuffer plain = smallPlain; // that or a lent one: decrypted, and not yet read
    private boolean isAwaited; // no data has come since that was said
    private boolean isEnded;

    private enum Step {
        /** There is no whole record. */
        MORE,
        /** A record of TLS itself was dealt with. */
        MESSAGE,
        /** Data has been decrypted. */
        DATA,
        /** The server has said that nothing more comes. */
        END
    }

    /** @param awaited number of bytes that are received at once where none were expected */
    TlsInput(
            SocketChannel channel,
            SSLEngine engine,
            TlsOutput output,
            LentBuffers buffers,
            EarlyCompilation compilation,
            int awaited) {
        this.channel = channel;
        this.engine = engine;
        this.output = output;
        this.buffers = buffers;
        this.compilation = compilation;
        smallNet = ByteBuffer.allocate(awaited).limit(0);
        net = smallNet;
    }

    ByteBuffer arrived() {
        return plain;
    }

    void await() {
        isAwaited = true;
        if (!plain.hasRemaining() && !net.hasRemaining()) {
            giveBack();
        }
    }

    boolean fill() throws IOException {
        return next(NOWHERE);
    }

    int read(byte[] target, int from, int end) throws IOException {
        if (!plain.hasRemaining()) {
            ByteBuffer into = ByteBuffer.wrap(target, from, end - from);
            if (!next(into)) {
                return -1;
            }
            if (into.position() > from) {
                return into.position() - from;
            }
        }
        int bytes = Math.min(end - from, plain.remaining());
        plain.get(target, from, bytes);
        return bytes;
    }

    /** Waits for data, and has it in a buffer if there is room for a whole record, else arrive; false at the end. */
    private boolean next(ByteBuffer target) throws IOException {
        while (true) {
            Step step = step(target);
            if (step == Step.DATA || step == Step.END) {
                return step == Step.DATA;
            }
            if (step == Step.MORE && !receive()) {
                throw new EOFException("the connection was cut: TLS has not said its end");
            }
        }
    }

    /** Continues with the opening where that waits for the server. */
    void handshake() throws IOException {
        Step step = step(NOWHERE);
        if (step == Step.END || (step == Step.MORE && !receive())) {
            throw new EOFException("the connection was closed in the TLS handshake");
        }
    }

    private Step step(ByteBuffer target) throws IOException {
        if (isEnded) {
            return Step.END;
        }
        if (net.remaining() < HEADER_BYTES) {
            return Step.MORE;
        }
        int record = recordBytes(net);
        SSLEngineResult result = target.remaining() >= record ? engine.unwrap(net, target) : decrypt(record);
        if (result.getStatus() == Status.BUFFER_OVERFLOW) {
            result = decrypt(LentBuffers.RECORD_BYTES);
        }
        return switch (result.getStatus()) {
            case BUFFER_UNDERFLOW -> Step.MORE;
            case BUFFER_OVERFLOW -> throw tooLong(record);
            case CLOSED -> {
                isEnded = true;
                yield Step.END;
            }
            case OK -> done(result);
        };
    }

    private SSLEngineResult decrypt(int bytes) throws SSLException {
        if (lentPlain == null && bytes > smallPlain.capacity()) {
            lentPlain = buffers.lendRecord();
            plain = lentPlain;
        }
        plain.clear();
        try {
            return engine.unwrap(net, plain);
        } finally {
            plain.flip();
        }
    }

    private Step done(SSLEngineResult result) throws IOException {
        HandshakeStatus status = TlsOutput.tasksRun(engine, result.getHandshakeStatus());
        if (status == HandshakeStatus.NEED_WRAP) {
            output.writeOwn();
        }
        if (result.bytesProduced() > 0) {
            isAwaited = false;
            return Step.DATA;
        }
        if (result.bytesConsumed() == 0
                && (status == HandshakeStatus.NOT_HANDSHAKING || status == HandshakeStatus.NEED_UNWRAP)) {
            throw new SSLException("TLS takes nothing that was received (" + status + ")");
        }
        return Step.MESSAGE;
    }

    private static SSLException tooLong(int bytes) {
        return new SSLException("a record of " + bytes + " bytes");
    }

    /** Returns the length of the record that a buffer begins with, header included. */
    private static int recordBytes(ByteBuffer from) {
        return HEADER_BYTES + (from.getShort(from.position() + HEADER_BYTES - Short.BYTES) & 0xFFFF);
    }

    /** Waits for bytes behind the present ones; returns false if there will be none. */
    private boolean receive() throws IOException {
        if (isAwaited && !net.hasRemaining()) {
            giveBack();
            int read = channel.read(smallNet.clear());
            smallNet.flip();
            return read >= 0;
        }
        if (lentNet == null) {
            lentNet = buffers.lend(LentBuffers.RECORD_BYTES).put(net).flip();
            net = lentNet;
        }
        int left = net.remaining();
        if (left == net.capacity()) {
            throw tooLong(recordBytes(net));
        }
        net.compact().limit(Math.min(net.capacity(), left + buffers.atOnce(net)));
        int read = channel.read(net);
        net.flip();
        compilation.carried(read);
        return read >= 0;
    }

    /** Handles messages of TLS itself, without waiting. */
    boolean isQuiet() {
        try {
            while (!plain.hasRemaining() && net.hasRemaining()) {
                if (step(NOWHERE) != Step.MESSAGE) {
                    return false;
                }
            }
            return !plain.hasRemaining() && !isEnded;
        } catch (IOException e) {
            LoggerFactory.getLogger(TlsInput.class).debug("connection is not used again", e);
            return false;
        }
    }

    void release() {
        isAwaited = false;
        giveBack();
    }

    private void giveBack() {
        giveBack(lentNet);
        giveBack(lentPlain);
        lentNet = null;
        lentPlain = null;
        net = smallNet.limit(0);
        plain = smallPlain.limit(0);
    }

    private void giveBack(@Nullable ByteBuffer lent) {
        if (lent != null) {
            buffers.giveBack(lent);
        }
    }

    /** As {@link Wire#isAlive}. */
    boolean isAlive() {
        try {
            channel.configureBlocking(false);
            int read = channel.read(smallNet.clear());
            smallNet.flip();
            channel.configureBlocking(true);
            return read == 0 || (read > 0 && isQuiet());
        } catch (IOException | OutOfMemoryError e) {
            return false; // closed, and not to be used in either case
        } finally {
            release();
        }
    }
}
