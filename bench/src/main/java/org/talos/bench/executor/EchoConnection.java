// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a connection. Its loop reads; answers come from any thread and gather until the loop writes
 * them. Thread-safe.
 */
final class EchoConnection {
    private static final int BUFFER = 1 << 16;

    private final SocketChannel channel;
    private final IoLoop loop;
    private final EchoServer server;
    private final Consumer<EchoRequest> handlers;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER); // the loop's own
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER); // the loop's own, always flipped
    private @Nullable SelectionKey key; // the loop's own

    @GuardedBy("this")
    private final ByteBuffer answers = ByteBuffer.allocate(BUFFER); // a client has far less in flight

    @GuardedBy("this")
    private boolean scheduled;

    EchoConnection(SocketChannel channel, IoLoop loop, EchoServer server, Consumer<EchoRequest> handlers) {
        this.channel = channel;
        this.loop = loop;
        this.server = server;
        this.handlers = handlers;
        out.flip();
    }

    void registered(SelectionKey given) {
        key = given;
    }

    /** Reads and writes what the socket allows. Called on the loop. */
    void ready() {
        SelectionKey own = key;
        try {
            if (own != null && own.isWritable()) {
                flush();
            }
            if (own != null && own.isReadable()) {
                read();
            }
        } catch (IOException e) {
            end(e);
        }
    }

    private void read() throws IOException {
        if (channel.read(in) < 0) {
            channel.close();
            return;
        }
        in.flip();
        while (in.remaining() >= Frame.BYTES) {
            byte[] frame = new byte[Frame.BYTES];
            in.get(frame);
            ByteBuffer content = ByteBuffer.wrap(frame);
            Frame.Head head = Frame.head(content);
            if (head.lane() == Frame.TALLY) {
                server.tally().takeTo(content);
                answer(frame);
            } else {
                handlers.accept(server.request(this, head, frame));
            }
        }
        in.compact();
    }

    /** Sends a frame: at once on the loop, which may run handlers itself; else with others that are ready by then. */
    void answer(byte[] frame) {
        boolean schedule;
        synchronized (this) {
            answers.put(frame);
            schedule = !scheduled;
            scheduled = true;
        }
        if (loop.isHere()) {
            flushed();
        } else if (schedule) {
            loop.later(this::flushed);
        }
    }

    private void flushed() {
        try {
            flush();
        } catch (IOException e) {
            end(e);
        }
    }

    private void flush() throws IOException {
        synchronized (this) {
            scheduled = false;
            out.compact();
            answers.flip();
            out.put(answers);
            answers.clear();
            out.flip();
        }
        channel.write(out);
        if (key != null && key.isValid()) {
            key.interestOps(out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    /** Ends the connection quietly: a run ends with clients that disconnect, and they report missing answers. */
    private void end(IOException cause) {
        try {
            channel.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }
}
