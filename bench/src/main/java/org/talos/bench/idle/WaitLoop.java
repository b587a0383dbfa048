// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs all connections of a run on one thread: holds them while they wait, puts, and records when each received the
 * message.
 *
 * <p>Confined: the main thread.
 */
final class WaitLoop implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final long TURN_MILLIS = 100;
    private static final Duration LAST_PUT = Duration.ofSeconds(10);

    private final InetSocketAddress server;
    private final Transport transport;
    private final Kind kind;
    private final int portsOfAddress;
    private final IntFunction<Place> places;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final List<SocketChannel> channels = new ArrayList<>();
    private final Map<Integer, Putter> putters = new HashMap<>();
    private final List<Long> delays = new ArrayList<>();
    private final Set<Waiter> woken = new HashSet<>(); // whose they are
    private final List<Long> puts = new ArrayList<>();
    private @Nullable Putter measured; // whose puts are timed
    private boolean repeats; // and who puts again as soon as it is answered
    private long measuredAt;
    private int wokenPartition = -1;
    private long putAt;
    private long asked;
    private long signs;
    private int opened;
    private int failed;
    private String firstFailure = "";

    /**
     * No connection yet.
     *
     * @param portsOfAddress how many connections one address of this machine opens
     * @param places by partition
     */
    WaitLoop(InetSocketAddress server, Transport transport, Kind kind, int portsOfAddress, IntFunction<Place> places)
            throws IOException {
        this.server = server;
        this.transport = transport;
        this.kind = kind;
        this.portsOfAddress = portsOfAddress;
        this.places = places;
        selector = Selector.open();
    }

    /** Opens one more connection and has it wait for the next message of a partition. */
    void open(int partition) throws IOException {
        ask(register(kind.on(connect(), places.apply(partition))));
    }

    private Wire connect() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channels.add(channel);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.bind(new InetSocketAddress("127.0.0." + (1 + (channels.size() - 1) / portsOfAddress), 0));
        channel.connect(server);
        ByteChannel bytes = transport.begin(channel);
        channel.configureBlocking(false);
        return new Wire(channel, bytes);
    }

    private <W extends Waiter> W register(W waiter) throws IOException {
        waiter.wire().socket().register(selector, SelectionKey.OP_READ, waiter);
        return waiter;
    }

    private void ask(Waiter waiter) throws IOException {
        asked++;
        waiter.ask();
    }

    /** Puts one message into a partition over a connection of its own, and waits until it is answered. */
    void put(int partition, Duration longest) throws IOException {
        Putter putter = new Putter(connect(), places.apply(partition));
        try {
            register(putter).ask();
            if (!until(() -> failed > 0 || !putter.isUnderWay(), longest)) {
                fail(1, "a put was not answered within " + longest.toSeconds() + " s");
            }
        } finally {
            putter.wire().socket().close();
        }
    }

    /** Opens the connection that puts into a partition, if there is none yet. */
    Putter putter(int partition) throws IOException {
        @Nullable Putter known = putters.get(partition);
        if (known == null) {
            known = register(new Putter(connect(), places.apply(partition)));
            putters.put(partition, known);
        }
        return known;
    }

    /** Handles what comes for this time. */
    void hold(Duration time) throws IOException {
        var unused = until(() -> false, time);
    }

    /** Handles what comes until something holds, and at most for this time; whether it holds. */
    boolean until(BooleanSupplier holds, Duration longest) throws IOException {
        long end = System.nanoTime() + longest.toNanos();
        while (!holds.getAsBoolean() && System.nanoTime() - end < 0) {
            selector.select(this::ready, TURN_MILLIS);
        }
        return holds.getAsBoolean();
    }

    /**
     * Puts one message into a partition, and waits until all who wait there have it.
     *
     * @param waiting connections of the partition
     * @return how long each took in nanoseconds, from just before the put was sent
     */
    List<Long> wake(int partition, int waiting, Duration longest) throws IOException {
        delays.clear();
        woken.clear();
        wokenPartition = partition;
        Putter putter = putter(partition);
        putAt = System.nanoTime();
        putter.ask();
        if (!until(() -> failed > 0 || delays.size() >= waiting, longest)) {
            fail(waiting - delays.size(), "no message within " + longest.toSeconds() + " s of the put");
        }
        return List.copyOf(delays);
    }

    /** Begins to put into a partition without a pause, until {@link #endPuts}. */
    void beginPuts(int partition) throws IOException {
        puts.clear();
        Putter putter = putter(partition);
        measured = putter;
        repeats = true;
        putAgain(putter);
    }

    private void putAgain(Putter putter) throws IOException {
        measuredAt = System.nanoTime();
        putter.ask();
    }

    /** Ends that; how long each put took in nanoseconds. */
    List<Long> endPuts() throws IOException {
        int before = puts.size();
        repeats = false;
        if (!until(() -> failed > 0 || puts.size() > before, LAST_PUT)) {
            fail(1, "a put was not answered within " + LAST_PUT.toSeconds() + " s");
        }
        return List.copyOf(puts);
    }

    private void ready(SelectionKey key) {
        Waiter waiter = (Waiter) key.attachment();
        try {
            for (Heard each : waiter.receive(buffer)) {
                hear(waiter, each);
            }
        } catch (IOException e) {
            key.cancel();
            if (waiter instanceof Putter putter && !putter.isUnderWay()) {
                putters.remove(putter.place().partition()); // it was idle for longer than a server waits
            } else {
                fail(1, e.getMessage() == null ? e.toString() : e.getMessage());
            }
        }
    }

    private void hear(Waiter waiter, Heard heard) throws IOException {
        if (waiter instanceof Putter putter) {
            putAnswered(putter, heard);
            return;
        }
        switch (heard) {
            case OPENED -> opened++;
            case SIGN -> signs++;
            case NO_MESSAGE -> ask(waiter);
            case MESSAGE -> {
                if (waiter.place().partition() == wokenPartition) {
                    delays.add(System.nanoTime() - putAt);
                    if (!woken.add(waiter)) {
                        fail(1, "a connection has had a message twice");
                    }
                }
                ask(waiter);
            }
        }
    }

    private void putAnswered(Putter putter, Heard heard) throws IOException {
        if (heard == Heard.MESSAGE && putter == measured) {
            puts.add(System.nanoTime() - measuredAt);
            if (repeats) {
                putAgain(putter);
            }
        }
    }

    private void fail(int connections, String why) {
        failed += connections;
        if (firstFailure.isEmpty()) {
            firstFailure = why;
        }
    }

    /** Requests that were sent, the first of each connection among them. */
    long asked() {
        return asked;
    }

    /** Comments, pings and pongs that have come. */
    long signs() {
        return signs;
    }

    /** Connections whose opening the server has answered. */
    int opened() {
        return opened;
    }

    /** Connections that broke, were refused or never received their message. */
    int failed() {
        return failed;
    }

    /** The first failure. */
    String firstFailure() {
        return firstFailure;
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        selector.close();
    }
}
