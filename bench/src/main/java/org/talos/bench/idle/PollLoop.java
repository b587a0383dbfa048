// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs all connections of a run on one thread: holds them in long poll, puts, and records when each received the
 * message.
 *
 * <p>Confined: the main thread.
 */
final class PollLoop implements AutoCloseable {
    /** Connections that one source address opens; one address has about 28,000 ports. */
    private static final int PER_SOURCE_ADDRESS = 20_000;

    private static final int BUFFER_BYTES = 16 << 10;
    private static final long TURN_MILLIS = 100;

    private final InetSocketAddress server;
    private final String target;
    private final String headers;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final List<SocketChannel> channels = new ArrayList<>();
    private final List<Long> delays = new ArrayList<>();
    private long putAt;
    private int failed;
    private int answered;
    private long polls;
    private String firstFailure = "";

    /**
     * No connection yet.
     *
     * @param target path of the topic's partitions
     * @param authorization the header's value
     */
    PollLoop(InetSocketAddress server, String target, String authorization) throws IOException {
        this.server = server;
        this.target = target;
        headers = " HTTP/1.1\r\nHost: " + server.getHostString() + ":" + server.getPort() + "\r\nAuthorization: "
                + authorization + "\r\n";
        selector = Selector.open();
    }

    /** Opens one more connection and begins to wait for the first message of a partition. */
    void wait(int partition, Duration longest) throws IOException {
        String request = poll(partition, longest);
        poll(open(partition, request, request));
    }

    /** The same, but has the partition opened by a poll that does not wait. */
    void openAndWait(int partition, Duration longest) throws IOException {
        poll(open(partition, poll(partition, Duration.ofMillis(1)), poll(partition, longest)));
    }

    private String poll(int partition, Duration longest) {
        return "GET " + target + "/" + partition + "/messages?from=0&maxMessages=1&wait=" + longest.toMillis() + headers
                + "\r\n";
    }

    private void poll(PollClient client) throws IOException {
        polls++;
        client.send();
    }

    private PollClient open(int partition, String first, String request) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channels.add(channel);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        int source = 1 + (channels.size() - 1) / PER_SOURCE_ADDRESS;
        channel.bind(new InetSocketAddress("127.0.0." + source, 0));
        channel.connect(server);
        channel.configureBlocking(false);
        PollClient client = new PollClient(
                channel,
                partition,
                first.getBytes(StandardCharsets.US_ASCII),
                request.getBytes(StandardCharsets.US_ASCII));
        channel.register(selector, SelectionKey.OP_READ, client);
        return client;
    }

    /** Handles responses for so long: repeats each poll that ended without a message. */
    void hold(Duration time) throws IOException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            turn();
        }
    }

    /**
     * Puts one message into a partition, and waits until all who wait there have it.
     *
     * @param waiting connections of the partition
     * @return how long each took in nanoseconds, from the put's last byte sent
     */
    List<Long> wake(int partition, int waiting, Duration longest) throws IOException {
        delays.clear();
        String put = "POST " + target + "/" + partition + "/messages" + headers
                + "Content-Type: application/octet-stream\r\nContent-Length: 4\r\n\r\nwake";
        PollClient putter = open(-1, put, put);
        putAt = System.nanoTime();
        answered = 0;
        putter.send();
        long end = putAt + longest.toNanos();
        while ((delays.size() < waiting || answered == 0) && failed == 0 && System.nanoTime() - end < 0) {
            turn();
        }
        if (failed == 0 && delays.size() < waiting) {
            fail(waiting - delays.size(), "no answer within " + longest.toSeconds() + " s of the put");
        }
        return List.copyOf(delays);
    }

    private void turn() throws IOException {
        selector.select(this::ready, TURN_MILLIS);
    }

    private void ready(SelectionKey key) {
        PollClient client = (PollClient) key.attachment();
        try {
            @Nullable String answer = client.receive(buffer);
            if (answer != null) {
                hear(client, answer);
            }
        } catch (IOException e) {
            key.cancel();
            fail(1, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private void hear(PollClient client, String answer) throws IOException {
        if (!answer.startsWith("HTTP/1.1 2")) {
            fail(1, answer.lines().findFirst().orElse("nothing"));
        } else if (client.partition() < 0) {
            answered++;
        } else if (answer.contains("\"wake\"")) {
            delays.add(System.nanoTime() - putAt);
        } else {
            poll(client);
        }
    }

    private void fail(int connections, String why) {
        failed += connections;
        if (firstFailure.isEmpty()) {
            firstFailure = why;
        }
    }

    /** Polls that were sent, the first of each connection among them. */
    long polls() {
        return polls;
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
