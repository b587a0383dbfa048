// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: each connection sends its next request as soon as the last was answered, all connections on the
 * calling thread. A connection that fails counts once and sends no more.
 *
 * <p>With a rate it is open: requests are due at fixed times, spread over the connections, and latency counts from when
 * a request was due, so that a server that stalls is not spared the requests that it held up. A connection ends when
 * its source has no further request, and the loop with its last connection.
 *
 * <p>Confined: the thread that calls {@link #run}.
 */
public final class ClosedLoop {
    private static final int DIGITS = 3;
    private static final long SELECT_MILLIS = 10;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final Duration LONGEST_END = Duration.ofSeconds(30);
    private static final Duration LONGEST_WINDOW = Duration.ofMinutes(1);

    private final Histogram latency = new Histogram(DIGITS);
    private final Timeline timeline = new Timeline();
    private final AnswerCheck check;
    private final Window window;
    private final long betweenNanos; // requests of one connection; 0 for as soon as possible
    private final boolean sparing;
    private final boolean catchesUp;
    private final Queue<Connection> idle = new PriorityQueue<>(Comparator.comparingLong(Connection::dueNanos));
    private long beganNanos;
    private boolean measuring;
    private boolean ending;
    private int open;
    private int inFlight;
    private long succeeded;
    private long failed;
    private @Nullable String firstFailure;

    private ClosedLoop(AnswerCheck check, Window window, long betweenNanos, Pace pace) {
        this.check = check;
        this.window = window;
        this.betweenNanos = betweenNanos;
        sparing = pace.sparing;
        catchesUp = pace.catchesUp;
    }

    /**
     * The times at which requests are sent. Immutable.
     *
     * @param perSecond requests of all connections together; 0 for the next as soon as the last was answered
     * @param sparing whether the loop sleeps for whole milliseconds instead of watching the clock, so that it leaves
     *     the processors to the server. The latency of a request that the loop sends late for that reason counts from
     *     its sending. A request that was due while its connection was busy still counts from when it was due
     * @param catchesUp whether a connection that was busy when a request was due sends it afterwards, in addition to
     *     those that follow
     */
    public record Pace(double perSecond, boolean sparing, boolean catchesUp) {
        /** The next request as soon as the last was answered. */
        public static final Pace NONE = new Pace(0, false);

        /** A rate that holds on average: what an answer delayed is sent afterwards. */
        public Pace(double perSecond, boolean sparing) {
            this(perSecond, sparing, true);
        }

        /**
         * The pace of clients that wait for each answer: at most this rate. A late answer delays the requests behind
         * it, which are not made up for, and latency counts from the sending of a request.
         */
        public static Pace atMost(double perSecond) {
            return new Pace(perSecond, false, false);
        }

        /** Returns the same pace with a part of the rate. */
        Pace part(double share) {
            return new Pace(perSecond * share, sparing, catchesUp);
        }
    }

    /**
     * Runs a load and waits for it; for requests of which few fit into a window: the window stays open until so many
     * have ended in it, a minute at most.
     *
     * @param sources one a connection
     * @param least requests that are to be measured
     * @throws IOException a connection cannot be opened
     */
    public static LoadResult run(
            InetSocketAddress server,
            List<? extends RequestSource> sources,
            AnswerCheck check,
            Duration warmUp,
            Duration measured,
            int least,
            Window window)
            throws IOException {
        ClosedLoop loop = new ClosedLoop(check, window, 0, new Pace(0, false));
        return loop.run(server, sources, WarmUp.lasting(warmUp), measured, least);
    }

    /**
     * Runs a load at a fixed rate.
     *
     * @param perSecond requests of all connections together; 0 for the next as soon as the last was answered
     */
    public static LoadResult run(
            InetSocketAddress server,
            List<? extends RequestSource> sources,
            AnswerCheck check,
            WarmUp warmUp,
            Duration measured,
            Window window,
            double perSecond)
            throws IOException {
        return run(server, sources, check, warmUp, measured, window, new Pace(perSecond, false));
    }

    /** Like the overload with a rate. */
    public static LoadResult run(
            InetSocketAddress server,
            List<? extends RequestSource> sources,
            AnswerCheck check,
            WarmUp warmUp,
            Duration measured,
            Window window,
            Pace pace)
            throws IOException {
        long between = pace.perSecond > 0 ? Math.round(sources.size() / pace.perSecond * 1e9) : 0;
        return new ClosedLoop(check, window, between, pace).run(server, sources, warmUp, measured, 0);
    }

    private LoadResult run(
            InetSocketAddress server,
            List<? extends RequestSource> sources,
            WarmUp warmUp,
            Duration measured,
            int least)
            throws IOException {
        try (Selector selector = Selector.open()) {
            try {
                beganNanos = System.nanoTime();
                for (int i = 0; i < sources.size(); i++) {
                    long due = beganNanos + betweenNanos * i / sources.size();
                    new Connection(server, sources.get(i), selector, due).next();
                }
                while (open > 0 && !warmUp.isOver(System.nanoTime() - beganNanos)) {
                    turn(selector);
                }
                measuring = true;
                window.opened();
                long nanos = turnFor(selector, measured, least);
                measuring = false;
                timeline.end(System.nanoTime() - beganNanos);
                window.closed();
                ending = true;
                end(selector);
                Optional<String> first = Optional.ofNullable(firstFailure);
                return new LoadResult(latency, nanos, succeeded, failed, first, timeline);
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
            }
        }
    }

    private long turnFor(Selector selector, Duration duration, int least) throws IOException {
        long start = System.nanoTime();
        long nanos = 0;
        while ((nanos < duration.toNanos() || isShort(least, nanos)) && open > 0) {
            turn(selector);
            nanos = System.nanoTime() - start;
        }
        return nanos;
    }

    private boolean isShort(int least, long nanos) {
        return latency.getTotalCount() < least && nanos < LONGEST_WINDOW.toNanos();
    }

    /** Waits for the requests in flight, so that acknowledged messages can be compared with stored ones. */
    private void end(Selector selector) throws IOException {
        long start = System.nanoTime();
        while (inFlight > 0 && System.nanoTime() - start < LONGEST_END.toNanos()) {
            turn(selector);
        }
        if (inFlight > 0) {
            fail(inFlight, inFlight + " requests were never answered");
        }
    }

    private void turn(Selector selector) throws IOException {
        long now = System.nanoTime();
        while (!idle.isEmpty() && idle.element().dueNanos - now <= 0) {
            idle.remove().begin(!sparing);
        }
        if (!sparing && !idle.isEmpty() && idle.element().dueNanos - now < NANOS_PER_MILLI) {
            selector.selectNow(key -> ((Connection) key.attachment()).ready());
        } else {
            selector.select(key -> ((Connection) key.attachment()).ready(), selectMillis(now));
        }
    }

    /** Returns how long the loop may wait for answers before the next request is due, one millisecond at least. */
    private long selectMillis(long now) {
        if (idle.isEmpty()) {
            return SELECT_MILLIS;
        }
        long left = (idle.element().dueNanos - now) / NANOS_PER_MILLI;
        return sparing ? Math.max(1, Math.min(left, SELECT_MILLIS)) : 1;
    }

    private void fail(int requests, String reason) {
        failed += requests;
        if (firstFailure == null) {
            firstFailure = reason;
        }
    }

    /** One connection and the request that is in flight on it. Confined: the loop's thread. */
    private final class Connection {
        private final RequestSource source;
        private final SocketChannel channel;
        private final SelectionKey key;
        private final ResponseBuffer response = new ResponseBuffer();
        private ByteBuffer request = ByteBuffer.allocate(0);
        private long start;
        private long dueNanos;

        Connection(InetSocketAddress server, RequestSource source, Selector selector, long dueNanos)
                throws IOException {
            this.source = source;
            this.dueNanos = dueNanos;
            channel = SocketChannel.open(server);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_READ, this);
            open++;
        }

        long dueNanos() {
            return dueNanos;
        }

        /** Sends the next request at once, or when it is due. */
        void next() {
            if (!source.hasNext()) {
                finish();
            } else if (betweenNanos > 0 && dueNanos - System.nanoTime() > 0) {
                idle.add(this);
            } else {
                begin(betweenNanos > 0);
            }
        }

        /** @param fromDue whether latency counts from when the request was due */
        private void begin(boolean fromDue) {
            response.clear();
            request = source.next();
            start = fromDue && catchesUp ? dueNanos : System.nanoTime();
            dueNanos = catchesUp ? dueNanos + betweenNanos : start + betweenNanos;
            inFlight++;
            try {
                write();
            } catch (IOException e) {
                broken(e);
            }
        }

        private void write() throws IOException {
            channel.write(request);
            key.interestOps(
                    request.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }

        void ready() {
            try {
                if (key.isWritable()) {
                    write();
                }
                if (key.isReadable() && response.read(channel)) {
                    answered();
                }
            } catch (IOException e) {
                broken(e);
            }
        }

        private void answered() {
            inFlight--;
            RequestSource.Outcome outcome = outcome();
            switch (outcome) {
                case DONE -> succeeded++;
                case WRONG -> fail(1, "status " + response.status() + ": " + AnswerCheck.shown(response.body()));
                case NOTHING -> {}
            }
            if (outcome != RequestSource.Outcome.NOTHING) {
                long now = System.nanoTime();
                timeline.count(now - beganNanos);
                if (measuring) {
                    latency.recordValue(now - start);
                }
            }
            if (!ending) {
                next();
            }
        }

        private RequestSource.Outcome outcome() {
            ByteBuffer body = response.body();
            return response.status() / 100 == 2 && check.good(body)
                    ? source.answered(body)
                    : RequestSource.Outcome.WRONG;
        }

        private void finish() {
            open--;
            key.cancel();
            try {
                channel.close();
            } catch (IOException e) {
                fail(1, "a connection was not closed: " + e);
            }
        }

        private void broken(IOException e) {
            inFlight--;
            open--;
            fail(1, e.toString());
            key.cancel();
            try {
                channel.close();
            } catch (IOException again) {
                e.addSuppressed(again);
            }
        }
    }
}
