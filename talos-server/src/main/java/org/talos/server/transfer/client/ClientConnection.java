// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.transfer.tls.TlsFailure;
import org.talos.server.transfer.tls.TransferTls;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Handshake;
import org.talos.server.transfer.wire.TransferKey;
import tlschannel.WouldBlockException;

/**
 * The requesting side of a connection to another server's transfer port. Its calls block; {@link #close}, from any
 * thread, ends them.
 *
 * <p>Confined: one writer and one reader at a time, which may be two threads.
 */
public final class ClientConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);
    private static final String REFUSED = "the other server refused this server's proof: has it another transfer key?";
    private static final String REFUSED_UNDER_TLS =
            "the other server refused this server's certificate, or its proof of the transfer key; its log says which";
    private static final int BUFFER_BYTES = 32 << 10;
    private static final int SMALL_BYTES = 4 << 10;

    private final int maxFrameBytes;
    private final MemoryBudget memory;
    private final SocketChannel channel;
    private ByteChannel stream; // the channel, or TLS on it
    // Writing heap buffers, the JDK would keep a direct buffer of the largest frame for each thread.
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer connectionId;
    private final FrameMac requests;
    private final FrameMac answers;
    private final Ticker ticker;
    private volatile long lastId; // written by the writer alone
    private volatile long writtenNanos; // likewise

    private ClientConnection(
            SocketChannel channel,
            InetSocketAddress address,
            int maxFrameBytes,
            MemoryBudget memory,
            Identity identity,
            Ticker ticker)
            throws IOException {
        this.channel = channel;
        this.ticker = ticker;
        this.maxFrameBytes = maxFrameBytes;
        this.memory = memory;
        stream = channel;
        byte[] hello = read(Handshake.HELLO_BYTES);
        Handshake handshake = Handshake.ofHello(hello, identity.key);
        if (identity.tls.beginsWith(Handshake.requiresTls(hello))) {
            if (in.hasRemaining()) { // TLS would take the bytes for encrypted data
                throw new IOException("more than a hello before TLS");
            }
            stream = TlsStream.begin(channel, address, identity.tls);
        }
        write(List.of(ByteBuffer.wrap(handshake.reply())));
        flush();
        try {
            handshake.checkServer(read(Handshake.PROOF_BYTES));
        } catch (EOFException e) {
            throw new IOException(stream == channel ? REFUSED : REFUSED_UNDER_TLS, e);
        }
        connectionId = handshake.connectionId();
        requests = handshake.requests();
        answers = handshake.answers();
    }

    /** The identity by which servers authenticate each other: the shared key, and certificates. Immutable. */
    public record Identity(TransferKey key, TransferTls tls) {}

    /** Reports an answer that was received and dropped for want of memory. Immutable. */
    static final class NoMemoryException extends IOException {
        private static final long serialVersionUID = 1L;

        private final long id;

        NoMemoryException(long id, int bytes) {
            super("no memory for an answer of " + bytes + " bytes (transfer.maxMemoryBytes)");
            this.id = id;
        }

        /** Returns the number of the request. */
        long id() {
            return id;
        }
    }

    /** Bounds the time that connecting may take. Thread-safe. */
    interface Limit {
        /** Closes the channel once its time to connect is over, unless the returned action has run before. */
        Runnable closeLater(SocketChannel channel);
    }

    /** Connects, and proves the key; fails once the limit closes the channel. */
    static ClientConnection connect(
            InetSocketAddress address,
            Limit limit,
            int maxFrameBytes,
            MemoryBudget memory,
            Identity identity,
            Ticker ticker)
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
            return new ClientConnection(channel, address, maxFrameBytes, memory, identity, ticker);
        } catch (AsynchronousCloseException e) {
            throw new IOException("no connection, or no handshake, within transfer.connectTimeout", e);
        } catch (SSLException e) { // the other server's alert may come as its answer
            channel.close();
            throw new IOException(TlsFailure.sentence(e), e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        } finally {
            inTime.run();
        }
    }

    /** Identifies this connection at the other server. */
    public ByteBuffer connectionId() {
        return connectionId;
    }

    /** Returns the number of the next request; for the writer. */
    public long nextId() {
        long id = lastId + 1;
        lastId = id;
        return id;
    }

    /** Returns whether a request had this number; for any thread. */
    boolean hasNumbered(long id) {
        return id > 0 && id <= lastId;
    }

    /** Sends a whole request. */
    public void send(long id, List<ByteBuffer> message) throws IOException {
        write(List.of(requests.header(id, message)));
        write(message);
        flush();
    }

    /**
     * Returns when the other server, or this machine's system, last accepted a part of the sent bytes; for any thread.
     */
    long writtenNanos() {
        return writtenNanos;
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
            var unused = stream.write(out);
            writtenNanos = ticker.nanos();
        }
        out.clear();
    }

    /**
     * Bytes that {@link #receive} reserves of the memory budget. Small answers reserve none: there are no more of them
     * than requests, and a put whose answer is not read would end as unknown.
     */
    public static long reserved(int bytes) {
        return bytes <= SMALL_BYTES ? 0 : bytes;
    }

    /**
     * Waits for the next answer. The caller releases the memory that was {@link #reserved} for it.
     *
     * @throws NoMemoryException there is none for this answer; the next can be received
     * @throws IOException the connection ended, or the answer is malformed
     */
    public Frame receive() throws IOException {
        ByteBuffer header = ByteBuffer.wrap(read(Frame.HEADER_BYTES));
        int bytes = header.getInt() - (Frame.HEADER_BYTES - Integer.BYTES);
        if (bytes < 0 || bytes > maxFrameBytes) {
            throw new IOException("answer of " + bytes + " bytes (expected: 0.." + maxFrameBytes + ")");
        }
        long id = header.getLong();
        byte[] mac = new byte[FrameMac.BYTES];
        header.get(mac);
        answers.begin(id);
        long reserved = reserved(bytes);
        if (!memory.tryReserve(reserved)) {
            skip(bytes);
            check(mac); // only an authentic answer ends a request
            throw new NoMemoryException(id, bytes);
        }
        boolean good = false;
        try {
            byte[] message = read(bytes);
            answers.update(message, 0, bytes);
            check(mac);
            good = true;
            return new Frame(id, message);
        } finally {
            if (!good) {
                memory.release(reserved);
            }
        }
    }

    private void check(byte[] mac) throws IOException {
        if (!answers.matches(mac)) {
            throw new IOException("answer with a wrong MAC");
        }
    }

    private byte[] read(int bytes) throws IOException {
        byte[] whole = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            int now = Math.min(fill(), bytes - have);
            in.get(whole, have, now);
            have += now;
        }
        return whole;
    }

    private void skip(int bytes) throws IOException {
        int left = bytes;
        while (left > 0) {
            int now = Math.min(fill(), left);
            answers.update(in.slice(in.position(), now));
            in.position(in.position() + now);
            left -= now;
        }
    }

    /** Reads if no bytes of the last read are left; returns the number of available bytes. */
    private int fill() throws IOException {
        if (!in.hasRemaining()) {
            in.clear();
            int count = stream.read(in);
            in.flip();
            if (count < 0) {
                throw new EOFException("the other server closed the connection");
            }
        }
        return in.remaining();
    }

    /** Returns whether an idle connection has ended, or has sent bytes that no request asked for. */
    public boolean isStale() {
        if (in.hasRemaining()) {
            return true;
        }
        try {
            channel.configureBlocking(false);
            in.clear();
            int count = readWhatIsThere();
            in.flip();
            channel.configureBlocking(true);
            return count != 0;
        } catch (IOException e) {
            return true; // it has ended
        }
    }

    private int readWhatIsThere() throws IOException {
        try {
            return stream.read(in);
        } catch (WouldBlockException e) { // TLS has nothing to read
            return 0;
        }
    }

    @Override
    public void close() {
        close(channel); // with TLS as well, because a close notification could block
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("connection could not be closed", e); // nothing more can be done
        }
    }
}
