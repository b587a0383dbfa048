// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * A closed loop over connections with many requests in flight: each lane sends its next request as soon as the last was
 * answered. All of it on the calling thread.
 *
 * <p>Confined: the thread that calls {@link #run}.
 */
final class EchoLoad {
    private static final int DIGITS = 3;
    private static final long SELECT_MILLIS = 10;
    private static final Duration LONGEST_END = Duration.ofSeconds(10);

    private final int perConnection;
    private final long[] sentNanos;
    private final long[] numbers;
    private Histogram latency = new Histogram(DIGITS);
    private long nextNumber;
    private int inFlight;
    private boolean measuring;
    private boolean ending;

    /**
     * A load.
     *
     * @param perConnection lanes of a connection
     */
    EchoLoad(int connections, int perConnection) {
        this.perConnection = perConnection;
        sentNanos = new long[connections * perConnection];
        numbers = new long[connections * perConnection];
    }

    /**
     * The measurements of a run. Immutable, but for the histogram, which belongs to the caller.
     *
     * @param latency nanoseconds
     */
    record Result(Histogram latency, double seconds, long unanswered) {}

    /**
     * Runs the load for the given time.
     *
     * @param opened called when the warm-up is over
     */
    Result run(InetSocketAddress server, Duration warmUp, Duration measured, Runnable opened) throws IOException {
        latency = new Histogram(DIGITS);
        ending = false;
        try (Selector selector = Selector.open()) {
            try {
                for (int first = 0; first < numbers.length; first += perConnection) {
                    new Connection(server, first, selector).begin();
                }
                turnFor(selector, warmUp);
                opened.run();
                measuring = true;
                double seconds = turnFor(selector, measured);
                measuring = false;
                ending = true;
                long start = System.nanoTime();
                while (inFlight > 0 && System.nanoTime() - start < LONGEST_END.toNanos()) {
                    selector.select(EchoLoad::ready, SELECT_MILLIS);
                }
                return new Result(latency, seconds, inFlight);
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
                inFlight = 0;
            }
        }
    }

    private static double turnFor(Selector selector, Duration duration) throws IOException {
        long start = System.nanoTime();
        long nanos = 0;
        while (nanos < duration.toNanos()) {
            selector.select(EchoLoad::ready, SELECT_MILLIS);
            nanos = System.nanoTime() - start;
        }
        return nanos / 1e9;
    }

    private static void ready(SelectionKey key) {
        ((Connection) key.attachment()).ready();
    }

    /** Reads and resets the counters of a server's handlers. */
    static ServerTally.Reading tally(SocketChannel channel) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(Frame.BYTES);
        Frame.put(frame, 0, Frame.TALLY);
        frame.flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
        frame.clear();
        while (frame.hasRemaining()) {
            if (channel.read(frame) < 0) {
                throw new IOException("the server has closed the connection");
            }
        }
        frame.flip();
        Frame.head(frame);
        return ServerTally.Reading.of(frame);
    }

    /** One connection and its lanes. Confined: the load's thread. */
    private final class Connection {
        private final SocketChannel channel;
        private final SelectionKey key;
        private final int firstLane;
        private final ByteBuffer in = ByteBuffer.allocateDirect(perConnection * Frame.BYTES);
        private final ByteBuffer out = ByteBuffer.allocateDirect(perConnection * Frame.BYTES);

        Connection(InetSocketAddress server, int firstLane, Selector selector) throws IOException {
            this.firstLane = firstLane;
            channel = SocketChannel.open(server);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_READ, this);
        }

        void begin() throws IOException {
            long now = System.nanoTime();
            for (int lane = firstLane; lane < firstLane + perConnection; lane++) {
                ask(lane, now);
            }
            flush();
        }

        private void ask(int lane, long now) {
            numbers[lane] = nextNumber++;
            sentNanos[lane] = now;
            Frame.put(out, numbers[lane], lane);
            inFlight++;
        }

        void ready() {
            try {
                if (key.isReadable()) {
                    read();
                }
                flush();
            } catch (IOException e) {
                key.cancel(); // what was in flight on it is never answered
            }
        }

        private void read() throws IOException {
            if (channel.read(in) < 0) {
                throw new IOException("the server has closed the connection");
            }
            in.flip();
            long now = System.nanoTime();
            while (in.remaining() >= Frame.BYTES) {
                Frame.Head head = Frame.head(in);
                in.position(in.position() + Frame.PAYLOAD);
                answered(head, now);
            }
            in.compact();
        }

        private void answered(Frame.Head head, long now) {
            int lane = head.lane();
            if (numbers[lane] != head.number()) {
                throw new IllegalStateException(
                        "answer " + head.number() + " on lane " + lane + " (expected: " + numbers[lane] + ")");
            }
            inFlight--;
            if (measuring) {
                latency.recordValue(now - sentNanos[lane]);
            }
            if (!ending) {
                ask(lane, now);
            }
        }

        private void flush() throws IOException {
            out.flip();
            channel.write(out);
            key.interestOps(out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            out.compact();
        }
    }
}
