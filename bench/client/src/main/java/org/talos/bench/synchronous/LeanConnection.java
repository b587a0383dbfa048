// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One connection of a lean load: writes requests as far as the system takes them, and collects the received bytes until
 * the receiver takes them. The first failure ends it.
 *
 * <p>Confined: the thread of the load.
 */
final class LeanConnection {
    private static final int FIRST_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final Receiver receiver;
    private ByteBuffer in = ByteBuffer.allocateDirect(FIRST_BYTES); // the bytes before its position were not taken yet
    private ByteBuffer out = ByteBuffer.allocate(0);
    private int interest = SelectionKey.OP_READ;

    /** Takes the received bytes of a connection. */
    interface Receiver {
        /** Takes whole answers from a buffer, and leaves the rest in it. */
        void received(ByteBuffer in) throws IOException;

        /** Notes that the connection has failed and is closed. */
        void failed(Exception why);
    }

    LeanConnection(SocketChannel channel, Selector selector, Receiver receiver) throws IOException {
        this.channel = channel;
        this.receiver = receiver;
        channel.configureBlocking(false);
        key = channel.register(selector, interest, this);
    }

    /** Returns whether the system has not taken all of the last request. */
    boolean isSending() {
        return out.hasRemaining();
    }

    /** Sends a request, which must not change while it {@link #isSending}. */
    void send(ByteBuffer request) {
        out = request;
        try {
            write();
        } catch (IOException e) {
            fail(e);
        }
    }

    private void write() throws IOException {
        var unused = channel.write(out);
        int wanted = out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (interest != wanted) {
            interest = wanted;
            key.interestOps(wanted);
        }
    }

    /** Writes and reads as much as the system allows now. */
    void ready() {
        try {
            if (key.isWritable()) {
                write();
            }
            if (key.isReadable()) {
                read();
            }
        } catch (IOException | RuntimeException e) { // also a message that is not the next one
            fail(e);
        }
    }

    private void read() throws IOException {
        if (channel.read(in) < 0) {
            throw new IOException("connection closed by the server");
        }
        receiver.received(in.flip());
        if (in.position() > 0) {
            in.compact();
        } else { // compacting would copy all of it onto itself
            in.position(in.limit()).limit(in.capacity());
        }
        if (!in.hasRemaining()) {
            in = ByteBuffer.allocateDirect(2 * in.capacity()).put(in.flip());
        }
    }

    /** Closes the connection, which has failed. */
    void fail(Exception why) {
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            why.addSuppressed(e);
        }
        receiver.failed(why);
    }
}
