// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * The bytes that a client sends under TLS. Records are encrypted where they leave from, as many as there is room for in
 * one write.
 *
 * <p>Thread-safe: one thread at a time writes. Messages of TLS itself are written by the thread that is writing at that
 * moment. So a thread that reads does not wait for one that waits for the server.
 */
final class TlsOutput {
    private static final ByteBuffer[] NOTHING = {};
    /** The most records of alerts and the close notification, which is one record or two. */
    private static final int MOST_LAST_RECORDS = 3;

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final LentBuffers buffers;
    private final EarlyCompilation compilation;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean isOwing; // TLS has a message that no thread has begun to write

    @GuardedBy("lock")
    private long written;

    TlsOutput(SocketChannel channel, SSLEngine engine, LentBuffers buffers, EarlyCompilation compilation) {
        this.channel = channel;
        this.engine = engine;
        this.buffers = buffers;
        this.compilation = compilation;
    }

    /** Writes some buffers, whose positions do not change. */
    void write(List<ByteBuffer> parts) throws IOException {
        ByteBuffer[] from = new ByteBuffer[parts.size()];
        for (int i = 0; i < from.length; i++) {
            from[i] = parts.get(i).duplicate();
        }
        lock.lock();
        try {
            send(from);
        } finally {
            lock.unlock();
        }
        settle();
    }

    /** Writes the messages of TLS itself: by this thread, or by the one that is writing. */
    void writeOwn() throws IOException {
        isOwing = true;
        settle();
    }

    private void settle() throws IOException {
        while (isOwing && lock.tryLock()) { // else its holder asks again once it has let it go
            try {
                isOwing = false;
                send(NOTHING);
            } finally {
                lock.unlock();
            }
        }
    }

    @GuardedBy("lock")
    private void send(ByteBuffer[] from) throws IOException {
        ByteBuffer out = buffers.lend(LentBuffers.RECORD_BYTES);
        try {
            encrypt(from, out);
            flush(out);
        } finally {
            buffers.giveBack(out);
        }
    }

    @GuardedBy("lock")
    private void encrypt(ByteBuffer[] from, ByteBuffer out) throws IOException {
        int record = engine.getSession().getPacketBufferSize();
        int first = 0;
        boolean isMore = true;
        while (isMore) {
            if (out.remaining() < record) {
                flush(out);
            }
            SSLEngineResult result = engine.wrap(from, first, from.length - first, out);
            if (result.getStatus() != Status.OK) {
                throw new SSLException("TLS sends nothing more (" + result.getStatus() + ")");
            }
            while (first < from.length && !from[first].hasRemaining()) {
                first++;
            }
            HandshakeStatus status = tasksRun(engine, result.getHandshakeStatus());
            isMore = first < from.length || status == HandshakeStatus.NEED_WRAP;
            if (isMore && isStuck(result)) {
                throw new SSLException("TLS takes nothing to send (" + status + ")");
            }
        }
    }

    /** Returns whether nothing was done, and nothing shows that the next step will do more. */
    private static boolean isStuck(SSLEngineResult result) {
        return result.bytesConsumed() == 0
                && result.bytesProduced() == 0
                && result.getHandshakeStatus() != HandshakeStatus.FINISHED
                && result.getHandshakeStatus() != HandshakeStatus.NEED_TASK;
    }

    /** Runs the engine's tasks; returns its status afterwards. */
    static HandshakeStatus tasksRun(SSLEngine engine, HandshakeStatus status) {
        if (status != HandshakeStatus.NEED_TASK) {
            return status;
        }
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
        return engine.getHandshakeStatus();
    }

    @GuardedBy("lock")
    private void flush(ByteBuffer out) throws IOException {
        int end = out.position();
        compilation.carried(end);
        for (int at = 0; at < end; at = out.position()) {
            out.limit(Math.min(end, at + buffers.atOnce(out))).position(at);
            written += channel.write(out);
        }
        out.clear();
    }

    long written() {
        lock.lock();
        try {
            return written;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes the last records, an alert, or the close notification, as far as the system takes them without waiting.
     * The channel must be closed afterwards, and must have no reader.
     */
    void writeLast() throws IOException {
        if (!channel.isOpen() || !lock.tryLock()) {
            return;
        }
        ByteBuffer record = ByteBuffer.allocate(LentBuffers.RECORD_BYTES);
        try {
            engine.closeOutbound();
            channel.configureBlocking(false);
            for (int i = 0; i < MOST_LAST_RECORDS && !engine.isOutboundDone(); i++) {
                engine.wrap(NOTHING, record.clear());
                channel.write(record.flip());
            }
        } finally {
            lock.unlock();
        }
    }
}
