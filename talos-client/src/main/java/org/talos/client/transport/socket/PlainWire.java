// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection without TLS. The bytes of calls pass through one buffer outside of the heap, in large pieces; it is
 * lent: for the request, and again for the answer behind its first bytes, which are waited for with a small one of the
 * heap. Those of a stream go between its own arrays and the system, by memory that the JDK keeps for each thread.
 *
 * <p>Thread-safe for one thread that reads, one that writes, and any that close.
 */
final class PlainWire implements Wire {
    /** Enough for the answer to a put. */
    private static final int SMALL_BYTES = 1 << 10;
    /** The most bytes that a stream reads at once: the JDK keeps as much for the thread. */
    private static final int MOST_STRAIGHT_BYTES = 64 << 10;
    /** The first byte from a server that waits for TLS. */
    private static final byte TLS_ALERT = 0x15;

    private final SocketChannel channel;
    private final LentBuffers buffers;
    private final boolean isOfStream;
    private final ByteBuffer small = ByteBuffer.allocate(SMALL_BYTES).limit(0);
    private @Nullable ByteBuffer lent;
    private ByteBuffer arrived = small; // that or a lent one
    private boolean isAwaited;
    private boolean isFresh = true; // nothing has come yet
    private long written;

    /** @param channel that is connected */
    PlainWire(SocketChannel channel, LentBuffers buffers, boolean isOfStream) {
        this.channel = channel;
        this.buffers = buffers;
        this.isOfStream = isOfStream;
    }

    @Override
    public ByteBuffer arrived() {
        return arrived;
    }

    @Override
    public void await() {
        if (!arrived.hasRemaining()) {
            release();
            isAwaited = true;
        }
    }

    @Override
    public boolean fill() throws IOException {
        if (!isAwaited && lent == null) {
            lent = buffers.lend();
            arrived = lent;
        }
        isAwaited = false;
        int read = channel.read(arrived.clear());
        arrived.flip();
        if (isFresh && read > 0) {
            isFresh = false;
            requireNoTls();
        }
        return read >= 0;
    }

    private void requireNoTls() throws TlsAnswerException {
        if (arrived.get(0) == TLS_ALERT) {
            throw new TlsAnswerException();
        }
    }

    @Override
    public int read(byte[] target, int from, int end) throws IOException {
        if (isOfStream && !arrived.hasRemaining()) {
            return channel.read(ByteBuffer.wrap(target, from, Math.min(end - from, MOST_STRAIGHT_BYTES)));
        }
        if (!arrived.hasRemaining() && !fill()) {
            return -1;
        }
        int bytes = Math.min(end - from, arrived.remaining());
        arrived.get(target, from, bytes);
        return bytes;
    }

    @Override
    public void write(List<ByteBuffer> parts) throws IOException {
        if (isOfStream) {
            for (ByteBuffer part : parts) {
                flush(part.duplicate());
            }
            return;
        }
        ByteBuffer out = buffers.lend();
        try {
            for (ByteBuffer part : parts) {
                copy(part, out);
            }
            flush(out.flip());
        } finally {
            buffers.giveBack(out);
        }
    }

    private void copy(ByteBuffer from, ByteBuffer out) throws IOException {
        int at = from.position();
        while (at < from.limit()) {
            if (!out.hasRemaining()) {
                flush(out.flip());
                out.clear();
            }
            int bytes = Math.min(from.limit() - at, out.remaining());
            out.put(out.position(), from, at, bytes);
            out.position(out.position() + bytes);
            at += bytes;
        }
    }

    private void flush(ByteBuffer out) throws IOException {
        while (out.hasRemaining()) {
            written += channel.write(out);
        }
    }

    @Override
    public long written() {
        return written;
    }

    @Override
    public boolean isQuiet() {
        return !arrived.hasRemaining();
    }

    @Override
    public void release() {
        ByteBuffer used = lent;
        lent = null;
        arrived = small.limit(0);
        isAwaited = false;
        if (used != null) {
            buffers.giveBack(used);
        }
    }

    @Override
    public boolean isAlive() {
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

    @Override
    public void disconnect() {
        close();
    }

    @Override
    public void close() {
        Channels.close(channel);
    }
}
