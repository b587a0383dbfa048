// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The load of {@link SynchronousLoad} from a single thread with a selector: each putter has one put in flight, on a
 * connection of its own, and each getter receives the messages of its partition.
 *
 * <p>With a pace, the thread sleeps for whole milliseconds instead of watching the clock, so it may begin a put up to a
 * millisecond late. The latency of such a put counts from its beginning. A put that was due while the one before was in
 * flight, or that is later than that, counts from when it was due.
 *
 * <p>Each wait has a bound: a put without an answer, and an acknowledged message that is not received, fail in time.
 *
 * <p>Confined: the main thread; its connections to a thread of its own.
 */
public final class LeanLoad implements MeasuredLoad.Load {
    private static final long LONGEST_SELECT_MILLIS = 100;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LATE_NANOS = 2 * NANOS_PER_MILLI; // more than the sleep explains
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(20); // less than the end of a load may take
    private static final long CHECK_NANOS = 1_000 * NANOS_PER_MILLI;
    private static final long LONGEST_CLOSE_SECONDS = 1;
    private static final long PLACEHOLDER = 0x7e6d_5c4b_3a29_1807L; // for number and time, to be found in a request

    private final LeanClient client;
    private final SynchronousSettings settings;
    private final Recording recording;
    private final Duration longestSilence;
    private final Selector selector;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<Puts> puts = new ArrayList<>();
    private final List<Gets> gets = new ArrayList<>();
    private final Queue<Puts> waiting = new PriorityQueue<>(Comparator.comparingLong(Puts::dueNanos));
    private volatile boolean ending;
    private volatile boolean closed;
    private long checkedNanos; // confined to the load's own thread

    /**
     * A load that has not begun.
     *
     * @param client is closed with it
     * @param longestSilence how long a put may wait for its answer, and a get for a message that is acknowledged
     */
    LeanLoad(LeanClient client, SynchronousSettings settings, Recording recording, Duration longestSilence)
            throws IOException {
        this.client = client;
        this.settings = settings;
        this.recording = recording;
        this.longestSilence = longestSilence;
        selector = Selector.open();
    }

    /** Makes the topic, and a client for it. */
    public interface Opening {
        /** Returns a client of the server that the settings name. */
        LeanClient open(SynchronousSettings settings) throws Exception;
    }

    /**
     * Runs a client's process, as {@link SynchronousLoad#main} does.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments, Opening opening) {
        MeasuredLoad.main(
                arguments,
                (settings, recording) -> new LeanLoad(opening.open(settings), settings, recording, LONGEST_SILENCE));
    }

    @Override
    public void start() throws IOException {
        for (int partition = 0; partition < settings.putters(); partition++) {
            StampedMessage messages = new StampedMessage(partition, settings.size());
            byte[] message = messages.of(PLACEHOLDER, PLACEHOLDER).clone();
            Puts put = new Puts(client.putter(partition, message), partition);
            puts.add(put);
            if (partition < settings.getters()) {
                gets.add(new Gets(client.getter(partition, message), put, messages, partition));
            }
        }
        thread.execute(this::run);
    }

    @Override
    public void pace(double perSecond) {
        long begin = System.nanoTime();
        for (int i = 0; i < puts.size(); i++) {
            puts.get(i).pace = PutLoop.Pace.of(perSecond, begin, i, puts.size());
        }
    }

    @Override
    public boolean end(long seconds) throws InterruptedException {
        ending = true;
        var unused = selector.wakeup();
        thread.shutdown();
        return thread.awaitTermination(seconds, TimeUnit.SECONDS);
    }

    @Override
    public long stored() throws Exception {
        return client.stored();
    }

    @Override
    public void close() {
        closed = true;
        var unused = selector.wakeup();
        thread.shutdown();
        try {
            var unusedEnd = thread.awaitTermination(LONGEST_CLOSE_SECONDS, TimeUnit.SECONDS);
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            recording.failed("close: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }

    /** Puts and gets until all is over. Confined, as all below: the load's own thread. */
    private void run() {
        try {
            gets.forEach(Gets::request);
            puts.forEach(Puts::next);
            while (!isOver()) {
                beginDue();
                selector.select(key -> ((LeanConnection) key.attachment()).ready(), selectMillis());
                failSilent();
            }
        } catch (IOException | RuntimeException | Error e) { // the top of the thread: no other would know of it
            recording.failed("the load ended: " + e);
        }
    }

    /** Fails what has waited too long for the server. */
    private void failSilent() {
        long now = System.nanoTime();
        if (now - checkedNanos >= CHECK_NANOS) {
            checkedNanos = now;
            puts.forEach(each -> each.failIfSilent(now));
            gets.forEach(each -> each.failIfSilent(now));
        }
    }

    private boolean isOver() {
        return closed
                || (ending
                        && puts.stream().allMatch(each -> each.over)
                        && gets.stream().allMatch(Gets::isOver));
    }

    private void beginDue() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && (ending || waiting.element().dueNanos - now <= 0)) {
            waiting.remove().due(now);
        }
    }

    /** Returns how long to wait for answers before the next put is due, one millisecond at least. */
    private long selectMillis() {
        if (ending || waiting.isEmpty()) {
            return ending ? 1 : LONGEST_SELECT_MILLIS;
        }
        long left = (waiting.element().dueNanos - System.nanoTime()) / NANOS_PER_MILLI;
        return Math.max(1, Math.min(left, LONGEST_SELECT_MILLIS));
    }

    /** Notes how long something that is awaited has made no progress. */
    private final class Silence {
        private long progress = -1;
        private long sinceNanos;

        /**
         * Returns whether a wait has lasted too long.
         *
         * @param reached a number that grows with the progress
         */
        boolean isTooLong(boolean awaited, long reached, long now) {
            if (!awaited || reached != progress) {
                progress = reached;
                sinceNanos = now;
            }
            return now - sinceNanos > longestSilence.toNanos();
        }

        IOException failure(String what) {
            return new IOException(what + " within " + longestSilence.toSeconds() + " s");
        }
    }

    /** The puts of one putter. */
    private final class Puts implements LeanConnection.Receiver {
        private final LeanClient.Putter putter;
        private final int partition;
        private final LeanConnection connection;
        private final Silence silence = new Silence();
        private volatile PutLoop.@Nullable Pace pace;
        private long acknowledged;
        private long begunNanos;
        private long paced; // how many have been due since they are paced
        private long dueNanos;
        private boolean inFlight;
        private boolean over;

        Puts(LeanClient.Connected<LeanClient.Putter> putter, int partition) throws IOException {
            this.putter = putter.protocol();
            this.partition = partition;
            connection = new LeanConnection(putter.channel(), selector, this);
        }

        long dueNanos() {
            return dueNanos;
        }

        /** Begins the next put, now or when it is due. */
        void next() {
            PutLoop.Pace times = pace;
            long now = System.nanoTime();
            if (ending) {
                over = true;
            } else if (times == null) {
                begin(now);
            } else {
                dueNanos = times.nanos(paced);
                paced++;
                if (dueNanos - now > 0) {
                    waiting.add(this);
                } else {
                    begin(dueNanos);
                }
            }
        }

        /** Begins the put that has waited until it is due, unless the load ends. */
        void due(long now) {
            if (ending || over) { // it may have failed meanwhile
                over = true;
            } else {
                begin(now - dueNanos > LATE_NANOS ? dueNanos : now);
            }
        }

        private void begin(long nanos) {
            begunNanos = nanos;
            inFlight = true;
            connection.send(putter.put(acknowledged, nanos));
        }

        @Override
        public void received(ByteBuffer in) throws IOException {
            if (putter.acknowledged(in)) {
                recording.put(System.nanoTime() - begunNanos);
                inFlight = false;
                acknowledged++;
                next();
            }
        }

        void failIfSilent(long now) {
            if (silence.isTooLong(inFlight, acknowledged, now)) {
                connection.fail(silence.failure(
                        String.format(Locale.ROOT, "partition %d: no answer to put %d", partition, acknowledged)));
            }
        }

        @Override
        public void failed(Exception why) {
            recording.failed("put: " + why);
            inFlight = false;
            over = true;
        }
    }

    /** The gets of one getter, until it has all that its partition's putter has put. */
    private final class Gets implements LeanConnection.Receiver {
        private final LeanClient.Getter getter;
        private final Puts puts;
        private final StampedMessage expected;
        private final int partition;
        private final LeanConnection connection;
        private final Silence silence = new Silence();
        private long next;
        private boolean failed;

        Gets(LeanClient.Connected<LeanClient.Getter> getter, Puts puts, StampedMessage expected, int partition)
                throws IOException {
            this.getter = getter.protocol();
            this.puts = puts;
            this.expected = expected;
            this.partition = partition;
            connection = new LeanConnection(getter.channel(), selector, this);
        }

        boolean isOver() {
            return failed || (puts.over && next >= puts.acknowledged);
        }

        /** Sends the next request, if there is one. */
        void request() {
            if (!connection.isSending()) {
                ByteBuffer request = getter.request();
                if (request.hasRemaining()) {
                    connection.send(request);
                }
            }
        }

        @Override
        public void received(ByteBuffer in) throws IOException {
            getter.read(in, this::take);
            request();
        }

        private void take(ByteBuffer message) {
            long nanos = System.nanoTime();
            expected.requireNumber(next, message, partition);
            next++;
            recording.got(nanos - StampedMessage.nanos(message));
        }

        void failIfSilent(long now) {
            if (silence.isTooLong(!failed && next < puts.acknowledged, next, now)) {
                connection.fail(silence.failure(String.format(
                        Locale.ROOT,
                        "partition %d: message %d of %d was not received",
                        partition,
                        next,
                        puts.acknowledged)));
            }
        }

        @Override
        public void failed(Exception why) {
            recording.failed("get: " + why);
            failed = true;
        }
    }
}
