// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.stream.FrameReader.Received;
import org.talos.client.stream.Outbox.Frame;

/**
 * One stream on its connection: a thread that opens it and reads, and one that writes. Its listener is notified of the
 * end exactly once.
 *
 * <p>Thread-safe.
 */
final class StreamConnection implements Way {
    private static final Logger LOG = LoggerFactory.getLogger(StreamConnection.class);
    private static final int NO_CODE = 1005;
    private static final int NORMAL = 1000;
    private static final int GOODBYE_SECONDS = 1;

    private final Opener opener;
    private final Listener listener;
    private final ExecutorService threads;
    private final Outbox outbox = new Outbox();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final CountDownLatch written = new CountDownLatch(1); // nothing more is
    private volatile @Nullable WebSocket socket;
    private volatile @Nullable String aborted; // why

    /** Creates the WebSocket of a stream. */
    @FunctionalInterface
    interface Opener {
        /** Opens the WebSocket, and waits until it is open. */
        WebSocket open() throws IOException;
    }

    /** Is notified of arriving messages, on the reading thread. */
    interface Listener {
        /** Handles a message of the server. */
        void received(ServerMessage message);

        /** Notes that the server is alive: it has pinged, or answered a ping. */
        default void heard() {
            LOG.trace("the stream's server is there");
        }

        /** Handles the end of the stream: nothing more arrives. */
        void over(IOException why);
    }

    StreamConnection(Opener opener, Listener listener, ExecutorService threads) {
        this.opener = opener;
        this.listener = listener;
        this.threads = threads;
    }

    /** Begins to open the stream. */
    void start() {
        try {
            threads.execute(this::run);
        } catch (RuntimeException | Error e) { // no thread left
            over(new IOException("no thread for a stream: " + e, e));
        }
    }

    private void run() {
        IOException why;
        try (WebSocket opened = opener.open()) {
            socket = opened;
            if (aborted != null) {
                throw new IOException(aborted);
            }
            threads.execute(() -> write(opened));
            why = read(opened);
        } catch (IOException e) {
            why = e;
        } catch (RuntimeException | Error e) { // Errors too: nothing else would end the waits for the stream
            why = new IOException("the stream failed: " + e, e);
        }
        over(why);
    }

    /** Notifies the listener, once. An abandoned opening is reported too, regardless of its outcome. */
    private void over(IOException why) {
        if (isOver.compareAndSet(false, true)) {
            outbox.close();
            String reason = aborted;
            listener.over(reason == null ? why : new IOException(reason, why));
        }
    }

    /** Reads until the server closes the stream, and returns how it was closed. */
    private IOException read(WebSocket opened) throws IOException {
        while (true) {
            Received next = opened.reader().next();
            switch (next.opcode()) {
                case FrameReader.BINARY -> listener.received(StreamMessages.read(next.payload()));
                case FrameReader.PING -> {
                    outbox.add(new Frame(FrameWriter.PONG, List.of(copy(next.payload()))));
                    listener.heard();
                }
                case FrameReader.PONG -> listener.heard();
                case FrameReader.CLOSE -> {
                    answerClose(next.payload());
                    return closed(next.payload());
                }
                default -> throw new ProtocolException("a frame that no stream has");
            }
        }
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    /**
     * Answers with a close frame of the same code (RFC 6455, section 5.5.1), and waits briefly until it is written. If
     * the server no longer reads, the stream ends nevertheless.
     */
    private void answerClose(ByteBuffer payload) {
        List<ByteBuffer> code = payload.remaining() < Short.BYTES
                ? List.of()
                : List.of(copy(payload.slice(payload.position(), Short.BYTES)));
        outbox.closeWith(new Frame(FrameWriter.CLOSE, code));
        try {
            var unused = written.await(GOODBYE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static StreamClosedException closed(ByteBuffer payload) {
        int code = payload.remaining() < Short.BYTES ? NO_CODE : payload.getShort() & 0xFFFF;
        return new StreamClosedException(
                code, StandardCharsets.UTF_8.decode(payload).toString());
    }

    private void write(WebSocket opened) {
        try {
            for (List<Frame> frames = outbox.take(); !frames.isEmpty(); frames = outbox.take()) {
                for (Frame each : frames) {
                    opened.write(each.opcode(), each.parts());
                }
                opened.flush();
            }
        } catch (IOException e) {
            LOG.debug("stream write failed", e); // its reader is notified of its end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            written.countDown();
            end(opened);
        }
    }

    /**
     * Notifies the listener on another thread, because the listener may be in the middle of a step. If there is no
     * thread, it is requested again.
     */
    private void giveUp(String why) {
        try {
            threads.execute(() -> over(new IOException(why)));
        } catch (RuntimeException | Error e) {
            LOG.warn("no thread to close a stream", e);
        }
    }

    private static void end(WebSocket opened) {
        try {
            opened.close();
        } catch (IOException e) {
            LOG.debug("stream close failed", e);
        }
    }

    /** Queues a message to be sent. */
    @Override
    public void send(ByteBuffer... parts) {
        outbox.add(Frame.binary(parts));
    }

    @Override
    public void ping() {
        outbox.add(new Frame(FrameWriter.PING, List.of()));
    }

    /** Sends a close frame behind the queued frames, and ends the stream. */
    @Override
    public void close() {
        outbox.add(new Frame(
                FrameWriter.CLOSE,
                List.of(ByteBuffer.allocate(Short.BYTES)
                        .putShort((short) NORMAL)
                        .flip())));
        outbox.close();
    }

    /** Ends the stream at once. A pending opening is abandoned, and its connection closed as soon as it is open. */
    @Override
    public void abort(String why) {
        aborted = why;
        outbox.close();
        WebSocket opened = socket;
        if (opened == null) {
            giveUp(why);
        } else {
            end(opened);
        }
    }
}
