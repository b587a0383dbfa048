// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.ForeignBytesException;
import org.talos.bench.hostile.wire.FramesCheck;
import org.talos.bench.hostile.wire.Http2;
import org.talos.bench.hostile.wire.PrefixCheck;

/**
 * A client without a key that resets large answers while they are blocked, until the server ends the connection for its
 * rate of resets. Every DATA frame has to continue the page of its stream, also behind the end.
 *
 * <p>Confined: its thread, but for {@link #close}.
 */
final class PageResets implements Attacker {
    private static final int STREAMS = 12;
    private static final int LONGEST_SILENCE_MILLIS = 10_000;
    private static final int RECEIVE_BYTES = 64 << 10;
    private static final int READ_BYTES = 16 << 10;
    private static final int MOST_BETWEEN = 256 << 10;
    private static final String ADDRESS = "127.0.0.3"; // not that of those who take all connections of theirs

    private final Victim victim;
    private final Tally tally;
    private final HostileRequests requests;
    private volatile Socket socket = new Socket();

    PageResets(HostileRequests requests) {
        victim = requests.victim();
        tally = requests.tally();
        this.requests = requests;
    }

    /** Opens a connection; returns when the server has ended it. */
    @Override
    public void round() throws IOException {
        try (Socket one = new Socket()) {
            socket = one;
            one.setReceiveBufferSize(RECEIVE_BYTES);
            one.setSoTimeout(LONGEST_SILENCE_MILLIS);
            one.bind(new InetSocketAddress(ADDRESS, 0));
            one.connect(victim.address());
            FramesCheck frames = new FramesCheck(() -> new PrefixCheck(requests.page()));
            Check all = Check.both(victim.secretCheck(), frames);
            try {
                resetUntilEnded(one, frames, all);
                drain(one.getInputStream(), all);
            } catch (ForeignBytesException e) {
                throw e;
            } catch (IOException e) {
                drain(one.getInputStream(), all); // the server may have written before it ended the connection
            }
        }
    }

    private void resetUntilEnded(Socket one, FramesCheck frames, Check all) throws IOException {
        Http2 connection = Http2.open(victim.authority());
        long asked = 0;
        while (!frames.isGoneAway()) {
            int[] streams = new int[STREAMS];
            for (int i = 0; i < STREAMS; i++) {
                streams[i] = connection.get(victim.page());
                tally.begun();
            }
            one.getOutputStream().write(connection.take());
            asked += STREAMS;
            long mine = asked;
            read(one.getInputStream(), all, requests.random().nextInt(MOST_BETWEEN), () -> frames.ended() >= mine);
            for (int each : streams) {
                connection.reset(each);
            }
            one.getOutputStream().write(connection.take());
        }
    }

    /** Reads to the end of the connection. */
    private void drain(InputStream in, Check all) throws IOException {
        try {
            read(in, all, Long.MAX_VALUE, () -> false);
        } catch (ForeignBytesException | SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            tally.cut();
        }
    }

    /** Reads a number of bytes, or until there is nothing more to wait for. */
    private void read(InputStream in, Check all, long bytes, BooleanSupplier over) throws IOException {
        byte[] some = new byte[READ_BYTES];
        for (long left = bytes; left > 0 && !over.getAsBoolean(); ) {
            int count = in.read(some);
            if (count < 0) {
                throw new EOFException("the server has ended the connection");
            }
            tally.received(count);
            all.accept(ByteBuffer.wrap(some, 0, count));
            left -= count;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
