// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Connections that begin a request each and are then kept, hardly used: a little is read or written in each turn. Some
 * are cut and begun again. No byte of them waits for the server.
 *
 * <p>Confined: its thread, but for {@link #close}.
 */
final class HeldConnections implements Attacker {
    private static final long TURN_MILLIS = 200;
    private static final int RECEIVE_BYTES = 4 << 10;

    private final Victim victim;
    private final Tally tally;
    private final SplittableRandom random;
    private final int count;
    private final int turnsOfEach;
    private final Supplier<byte[]> beginning;
    private final Use use;
    private final List<SocketChannel> channels = new ArrayList<>();
    private volatile boolean closed;

    /** What is done with a connection in each turn. Confined: the attacker's thread. */
    @FunctionalInterface
    interface Use {
        /**
         * Reads or writes a little, and waits for nothing.
         *
         * @throws IOException the connection has ended
         */
        void turn(SocketChannel channel) throws IOException;
    }

    /**
     * Without a connection yet.
     *
     * @param turnsOfEach turns that a connection is kept, on average
     * @param beginning what is sent first; what the socket does not take is left out
     */
    HeldConnections(
            Victim victim,
            Tally tally,
            SplittableRandom random,
            int count,
            int turnsOfEach,
            Supplier<byte[]> beginning,
            Use use) {
        this.victim = victim;
        this.tally = tally;
        this.random = random;
        this.count = count;
        this.turnsOfEach = turnsOfEach;
        this.beginning = beginning;
        this.use = use;
    }

    /** Reads nothing. */
    static Use nothing() {
        return channel -> {};
    }

    /** Reads one byte. */
    static Use readOne() {
        ByteBuffer one = ByteBuffer.allocate(1);
        return channel -> {
            if (channel.read(one.clear()) < 0) {
                throw new IOException("the server has ended the connection");
            }
        };
    }

    /** Writes what the supplier gives, as far as the socket takes it. */
    static Use write(Supplier<byte[]> some) {
        return channel -> channel.write(ByteBuffer.wrap(some.get()));
    }

    @Override
    public void round() throws IOException {
        if (channels.size() < count) {
            channels.add(open());
        }
        if (channels.size() < count && channels.size() % 32 != 0) {
            return;
        }
        for (int i = 0; i < channels.size() && !closed; i++) {
            if (random.nextInt(turnsOfEach) == 0 || !used(channels.get(i))) {
                channels.get(i).close();
                channels.set(i, open());
            }
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS));
    }

    private boolean used(SocketChannel channel) {
        try {
            use.turn(channel);
            return true;
        } catch (IOException e) {
            tally.cut();
            return false;
        }
    }

    private SocketChannel open() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BYTES);
            channel.connect(victim.address());
            channel.configureBlocking(false);
            tally.begun();
            channel.write(ByteBuffer.wrap(beginning.get()));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        for (SocketChannel each : List.copyOf(channels)) {
            each.close();
        }
    }
}
