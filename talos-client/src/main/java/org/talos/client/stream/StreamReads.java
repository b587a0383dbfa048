// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * The partitions of a topic that one consumer reads over streams: one stream to each server that has some of them. A
 * stream is opened when a reader needs it, and closed when no reader has needed it for a while.
 *
 * <p>Thread-safe.
 */
public final class StreamReads implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(250);

    private final Streams streams;
    private final String topic;
    private final Semaphore memory;
    private final Lock lock = new ReentrantLock();
    private final ReadSession session; // with its consequences, in steps under the lock
    private List<Runnable> pending = new ArrayList<>(); // to be run without the lock
    private boolean ticking;

    /**
     * Creates the reads of one consumer.
     *
     * @param topic its resource name
     * @param memory bytes of ready messages; each stream reserves its window of them, and is not opened without it
     */
    public StreamReads(Streams streams, String topic, Semaphore memory) {
        this.streams = streams;
        this.topic = topic;
        this.memory = memory;
        session = new ReadSession(
                new Steps(),
                streams.routes(),
                topic,
                streams.timeout(),
                new SplittableRandom(streams.runtime().uniqueName().hashCode()));
    }

    /**
     * Returns the reads of one partition of the topic.
     *
     * @param onArrival runs when something has come that may be waited for, or nothing more will; on any thread
     */
    public Reader reader(PartitionRef partition, Runnable onArrival) {
        return new Reader(new ReadLane(partition, onArrival));
    }

    /**
     * Reads one partition over the streams. In special cases, a call must read instead. Thread-safe; for one reader.
     */
    public final class Reader implements AutoCloseable {
        private final ReadLane lane; // under the lock

        private Reader(ReadLane lane) {
            this.lane = lane;
        }

        /**
         * Reads from an offset on that will be taken soon. Continues if it follows the last taken one, and begins again
         * otherwise.
         *
         * @return false if a call must get the messages at the offset
         */
        public boolean read(long offset) {
            return decide(() -> session.read(lane, offset, true));
        }

        /** Reads from an offset on that no thread waits for yet. */
        public boolean readAhead(long offset) {
            return decide(() -> session.read(lane, offset, false));
        }

        /** Notes that a call has got messages, or has found none yet: a stream may continue behind them. */
        public void called() {
            step(lane::called);
        }

        /** Returns whether the messages that {@link #read} requested have not come yet, and still may. */
        public boolean isAwaited() {
            return decide(lane::isAwaited);
        }

        /**
         * Returns whether this partition has delayed others of its stream, so that its ready messages were released for
         * them.
         */
        public boolean hasYielded() {
            return decide(lane::hasYielded);
        }

        /**
         * Returns the first blocks that have come, one at least if there is any; they count as held until they are
         * taken.
         */
        public List<MessageBlock> blocks(int maxMessages, int maxBytes) {
            lock.lock();
            try {
                return lane.first(maxMessages, maxBytes);
            } finally {
                lock.unlock();
            }
        }

        /** Returns the bytes of the blocks that have come and were not taken, as they count for the window. */
        public long bytes() {
            lock.lock();
            try {
                return lane.bytes();
            } finally {
                lock.unlock();
            }
        }

        /** Notes that the messages before an offset have been taken: the server may send as many bytes again. */
        public void taken(long offset) {
            step(() -> session.taken(lane, offset));
        }

        /** Ends the reading of the partition. */
        @Override
        public void close() {
            step(() -> session.leave(lane));
        }
    }

    /** Disconnects from the servers; nothing more comes. */
    @Override
    public void close() {
        step(session::close);
    }

    private boolean decide(BooleanSupplier step) {
        boolean[] decided = {false};
        step(() -> decided[0] = step.getAsBoolean());
        return decided[0];
    }

    /** Runs a step under the lock, and then its consequences without it. */
    private void step(Runnable step) {
        List<Runnable> notifications;
        lock.lock();
        try {
            step.run();
            if (!ticking && session.isBusy()) {
                ticking = true;
                streams.reading(this);
                tickLater();
            }
            notifications = pending.isEmpty() ? List.of() : pending;
            pending = notifications.isEmpty() ? pending : new ArrayList<>();
        } finally {
            lock.unlock();
        }
        notifications.forEach(Runnable::run);
    }

    private void tickLater() {
        streams.later(
                TICK,
                () -> step(() -> {
                    ticking = false;
                    session.tick();
                    if (!session.isBusy()) {
                        streams.read(this);
                    }
                }));
    }

    /** The session's actions: at once if they do not wait, else when the lock is free. Confined: the lock. */
    private final class Steps implements ReadSession.Ground {
        @Override
        public long nanos() {
            return streams.nanos();
        }

        @Override
        public boolean reserve() {
            return memory.tryAcquire(streams.window());
        }

        @Override
        public void release() {
            memory.release(streams.window());
        }

        @Override
        public void open(ReadLink link) {
            StreamConnection connection = streams.connection(link.server(), topic, "", new StreamConnection.Listener() {
                @Override
                public void received(ServerMessage message) {
                    step(() -> session.received(link, message));
                }

                @Override
                public void heard() {
                    step(() -> session.heard(link));
                }

                @Override
                public void over(IOException why) {
                    step(() -> session.over(link, why));
                }
            });
            link.connect(connection);
            pending.add(connection::start);
        }

        @Override
        public void tell(ReadLane lane) {
            pending.add(lane.onArrival());
        }
    }
}
