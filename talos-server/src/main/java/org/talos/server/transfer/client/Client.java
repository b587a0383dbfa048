// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Greeting;
import org.talos.server.transfer.wire.TransferKey;

/**
 * A connection to another server's transfer port, from its asking side. Its calls block; whoever wants them to end
 * closes it, from any thread.
 *
 * <p>Confined: one writer and one reader at a time, which may be two threads.
 */
public final class Client implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Client.class);
    private static final int BUFFER_BYTES = 32 << 10;
    private static final int SMALL_BYTES = 4 << 10;

    private final int maxFrameBytes;
    private final MemoryBudget memory;
    private final SocketChannel channel;
    // Of their own: the JDK would keep a buffer as large as the largest frame for each thread.
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer connectionId;
    private final FrameMac requests;
    private final FrameMac answers;
    private long lastId;

    private Client(SocketChannel channel, int maxFrameBytes, MemoryBudget memory, TransferKey key) throws IOException {
        this.channel = channel;
        this.maxFrameBytes = maxFrameBytes;
        this.memory = memory;
        Greeting greeting = Greeting.toAnswer(read(Greeting.HELLO_BYTES), key);
        write(List.of(ByteBuffer.wrap(greeting.reply())));
        flush();
        try {
            greeting.checkServer(read(Greeting.PROOF_BYTES));
        } catch (EOFException e) {
            throw new IOException("the other server did not take our proof: has it another transfer key?", e);
        }
        connectionId = greeting.connectionId();
        requests = greeting.requests();
        answers = greeting.answers();
    }

    /** Makes a channel end, whatever it does, unless it is called off in time. Thread-safe. */
    public interface Limit {
        /** Closes the channel once its time to connect is over; what is returned calls that off. */
        Runnable closeLater(SocketChannel channel);
    }

    /** Connects and proves the key, as long as the limit lets it. */
    public static Client connect(
            InetSocketAddress address, Limit limit, int maxFrameBytes, MemoryBudget memory, TransferKey key)
            throws IOException {
        if (address.isUnresolved()) {
            throw new UnknownHostException(address.getHostString());
        }
        SocketChannel channel = SocketChannel.open();
        Runnable inTime = limit.closeLater(channel);
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.connect(address);
            return new Client(channel, maxFrameBytes, memory, key);
        } catch (AsynchronousCloseException e) {
            throw new IOException("no connection, or no greeting, within transfer.connectTimeout", e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        } finally {
            inTime.run();
        }
    }

    /** Names this connection at the other server. */
    ByteBuffer connectionId() {
        return connectionId;
    }

    /** A number for the next request. The writer's. */
    long nextId() {
        return ++lastId;
    }

    /** Sends a request whole. */
    void send(long id, List<ByteBuffer> message) throws IOException {
        write(List.of(requests.head(id, message)));
        write(message);
        flush();
    }

    private void write(List<ByteBuffer> buffers) throws IOException {
        for (ByteBuffer each : buffers) {
            ByteBuffer from = each.duplicate();
            while (from.hasRemaining()) {
                int now = Math.min(from.remaining(), out.remaining());
                out.put(out.position(), from, from.position(), now);
                out.position(out.position() + now);
                from.position(from.position() + now);
                if (!out.hasRemaining()) {
                    flush();
                }
            }
        }
    }

    private void flush() throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
        out.clear();
    }

    /**
     * Bytes that {@link #receive} takes out of the budget. Small answers need no room: there are not more of them than
     * requests, and a put whose answer is not read would end as unknown.
     */
    static long reserved(int bytes) {
        return bytes <= SMALL_BYTES ? 0 : bytes;
    }

    /**
     * Waits for the next answer. Its memory is the caller's to give back.
     *
     * @throws IOException there is none, or it is not what the other server wrote
     */
    Frame receive() throws IOException {
        ByteBuffer head = ByteBuffer.wrap(read(Frame.HEAD_BYTES));
        int bytes = head.getInt() - (Frame.HEAD_BYTES - Integer.BYTES);
        if (bytes < 0 || bytes > maxFrameBytes) {
            throw new IOException("answer of " + bytes + " bytes (expected: 0.." + maxFrameBytes + ")");
        }
        long id = head.getLong();
        byte[] seal = new byte[FrameMac.BYTES];
        head.get(seal);
        long reserved = reserved(bytes);
        if (!memory.tryReserve(reserved)) {
            throw new IOException("no memory for an answer of " + bytes + " bytes (transfer.maxMemoryBytes)");
        }
        boolean good = false;
        try {
            byte[] message = read(bytes);
            answers.begin(id);
            answers.add(message, 0, bytes);
            good = answers.endsAs(seal);
            if (!good) {
                throw new IOException("answer without its seal");
            }
            return new Frame(id, message);
        } finally {
            if (!good) {
                memory.release(reserved);
            }
        }
    }

    private byte[] read(int bytes) throws IOException {
        byte[] whole = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            if (!in.hasRemaining()) {
                in.clear();
                int came = channel.read(in);
                in.flip();
                if (came < 0) {
                    throw new EOFException("the other server closed the connection");
                }
            }
            int now = Math.min(in.remaining(), bytes - have);
            in.get(whole, have, now);
            have += now;
        }
        return whole;
    }

    /** Whether an idle connection has ended meanwhile, or says what nobody asked. */
    boolean isSpent() {
        if (in.hasRemaining()) {
            return true;
        }
        try {
            channel.configureBlocking(false);
            in.clear();
            int came = channel.read(in);
            in.flip();
            channel.configureBlocking(true);
            return came != 0;
        } catch (IOException e) {
            return true; // that is the answer
        }
    }

    @Override
    public void close() {
        close(channel);
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("connection could not be closed", e); // nobody could do more about it
        }
    }
}
