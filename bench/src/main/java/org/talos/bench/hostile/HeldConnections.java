// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.ForeignBytesException;

/**
 * Connections that begin a request each and are then kept, hardly used: a little is read or written in each turn. Some
 * are cut and begun again. No byte of them waits for the server. Every byte that they receive goes to a check.
 *
 * <p>Confined: its thread, but for {@link #close}.
 */
final class HeldConnections implements Attacker {
    private static final long TURN_MILLIS = 200;
    private static final int RECEIVE_BYTES = 4 << 10;
    private static final int LEAST_A_TURN = 32;
    private static final int TURNS_TO_ALL = 20;
    private static final String KEYLESS_ADDRESS = "127.0.0.2"; // a client of its own, with bounds of its own

    private final Victim victim;
    private final Tally tally;
    private final SplittableRandom random;
    private final Plan plan;
    private final List<Held> all = new ArrayList<>();
    private volatile boolean closed;

    /** Uses a connection in each turn. Confined: the attacker's thread. */
    @FunctionalInterface
    interface Use {
        /**
         * Reads or writes a little, and waits for nothing.
         *
         * @throws IOException the connection has ended
         */
        void turn(Held connection) throws IOException;
    }

    /**
     * The work of all connections. Immutable.
     *
     * @param turnsOfEach turns that a connection is kept, on average
     * @param beginning makes what is sent first; what the socket does not take is left out
     * @param received makes the check of a connection
     * @param port of the server, if not the one that all attack
     */
    record Plan(
            int count,
            int turnsOfEach,
            Supplier<byte[]> beginning,
            Use use,
            Supplier<Check> received,
            boolean keyless,
            int port) {
        /** Returns a plan of connections that may receive anything but other users' bytes. */
        static Plan of(int count, int turnsOfEach, Supplier<byte[]> beginning, Use use) {
            return new Plan(count, turnsOfEach, beginning, use, () -> Check.ANY, false, 0);
        }

        /** Returns this plan with a check of its own. */
        Plan checking(Supplier<Check> check) {
            return new Plan(count, turnsOfEach, beginning, use, check, keyless, port);
        }

        /** Returns this plan from the address of the client without a key. */
        Plan withoutKey() {
            return new Plan(count, turnsOfEach, beginning, use, received, true, port);
        }

        /** Returns this plan against another port. */
        Plan against(int other) {
            return new Plan(count, turnsOfEach, beginning, use, received, keyless, other);
        }
    }

    /** One connection. Confined: the attacker's thread. */
    static final class Held {
        private final SocketChannel channel;
        private final Check check;
        private final Tally tally;

        private Held(SocketChannel channel, Check check, Tally tally) {
            this.channel = channel;
            this.check = check;
            this.tally = tally;
        }

        /** Reads what has come, as much as fits into the buffer; returns how much, 0 if nothing has come. */
        private int read(ByteBuffer target) throws IOException {
            int count = channel.read(target.clear());
            if (count < 0) {
                throw new IOException("the server has ended the connection");
            }
            tally.received(count);
            check.accept(target.flip());
            return count;
        }
    }

    /** Without a connection yet. */
    HeldConnections(Victim victim, Tally tally, SplittableRandom random, Plan plan) {
        this.victim = victim;
        this.tally = tally;
        this.random = random;
        this.plan = plan;
    }

    /** Reads nothing. */
    static Use nothing() {
        return connection -> {};
    }

    /** Reads one byte. */
    static Use readOne() {
        ByteBuffer one = ByteBuffer.allocate(1);
        return connection -> connection.read(one);
    }

    /** Reads what has come, up to a bound of bytes in a turn. */
    static Use readUpTo(int most) {
        ByteBuffer some = ByteBuffer.allocate(64 << 10);
        return connection -> {
            int count = connection.read(some);
            for (int all = count; count > 0 && all < most; all += count) {
                count = connection.read(some);
            }
        };
    }

    /** Writes what the supplier gives, as far as the socket takes it. */
    static Use write(Supplier<byte[]> some) {
        return connection -> connection.channel.write(ByteBuffer.wrap(some.get()));
    }

    @Override
    public void round() throws IOException {
        int more = Math.min(plan.count() - all.size(), Math.max(LEAST_A_TURN, plan.count() / TURNS_TO_ALL));
        for (int i = 0; i < more && !closed; i++) {
            all.add(open());
        }
        for (int i = 0; i < all.size() && !closed; i++) {
            if (random.nextInt(plan.turnsOfEach()) == 0 || !used(all.get(i))) {
                all.get(i).channel.close();
                all.set(i, open());
            }
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS));
    }

    private boolean used(Held connection) {
        try {
            plan.use().turn(connection);
            return true;
        } catch (ForeignBytesException e) {
            tally.foreign(e.what());
            return false;
        } catch (IOException e) {
            tally.cut();
            return false;
        }
    }

    private Held open() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BYTES);
            if (plan.keyless()) {
                channel.bind(new InetSocketAddress(KEYLESS_ADDRESS, 0));
            }
            channel.connect(plan.port() == 0 ? victim.address() : new InetSocketAddress(victim.host(), plan.port()));
            channel.configureBlocking(false);
            tally.begun();
            channel.write(ByteBuffer.wrap(plan.beginning().get()));
            return new Held(
                    channel, Check.both(victim.secretCheck(), plan.received().get()), tally);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        for (Held each : List.copyOf(all)) {
            each.channel.close();
        }
    }
}
