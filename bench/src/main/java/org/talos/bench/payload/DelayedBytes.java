// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One direction of a relayed connection: a thread that reads and one that writes the same after the delay.
 *
 * <p>Thread-safe.
 */
final class DelayedBytes {
    private static final Logger LOG = LoggerFactory.getLogger(DelayedBytes.class);
    private static final int READ_BYTES = 256 << 10;

    /** On its way at once; what would be more waits in the sender's socket. */
    private static final int WINDOW_BYTES = 64 << 20;

    /** Behind the last byte: nothing. */
    private static final Chunk END = new Chunk(ByteBuffer.allocate(0), 0);

    private final SocketChannel from;
    private final SocketChannel to;
    private final long delayNanos;
    private final BlockingQueue<Chunk> onItsWay = new LinkedBlockingQueue<>();
    private final Semaphore window = new Semaphore(WINDOW_BYTES);

    private DelayedBytes(SocketChannel from, SocketChannel to, int delayMillis) {
        this.from = from;
        this.to = to;
        delayNanos = Duration.ofMillis(delayMillis).toNanos();
    }

    /** Begins; ends with the connection. */
    static void start(SocketChannel from, SocketChannel to, int delayMillis) {
        DelayedBytes bytes = new DelayedBytes(from, to, delayMillis);
        new Thread(() -> bytes.run(bytes::read), "relay-read").start();
        new Thread(() -> bytes.run(bytes::write), "relay-write").start();
    }

    private void run(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            LOG.debug("connection broken", e); // as a line would: both ends see theirs closed
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    private void read() throws IOException, InterruptedException {
        try {
            ByteBuffer in = ByteBuffer.allocateDirect(READ_BYTES);
            while (from.read(in) >= 0) {
                long due = System.nanoTime() + delayNanos;
                in.flip();
                window.acquire(in.remaining());
                onItsWay.put(
                        new Chunk(ByteBuffer.allocate(in.remaining()).put(in).flip(), due));
                in.clear();
            }
        } finally {
            onItsWay.put(END);
        }
    }

    private void write() throws IOException, InterruptedException {
        for (Chunk next = onItsWay.take(); next.bytes.hasRemaining(); next = onItsWay.take()) {
            for (long left = next.due - System.nanoTime(); left > 0; left = next.due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            int bytes = next.bytes.remaining();
            while (next.bytes.hasRemaining()) {
                to.write(next.bytes);
            }
            window.release(bytes);
        }
        to.shutdownOutput();
    }

    private void close() {
        try (from;
                to) {
            window.release(WINDOW_BYTES); // nobody writes any more, so a reader must not wait for it
        } catch (IOException e) {
            LOG.debug("not closed", e);
        }
    }

    /** Code of a thread that moves bytes. Confined: the thread. */
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Bytes and when to write them. Confined: the thread that took it from the queue. */
    private record Chunk(ByteBuffer bytes, long due) {}
}
