// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RoutedCalls;
import org.talos.thrift.MessageBlock;

/**
 * The puts of one producer over streams, many in flight at once: one stream to each server that has partitions of its
 * topic. Puts that a stream cannot take go by calls: those that are too large for it, and all puts while a server
 * offers no streams.
 *
 * <p>Thread-safe.
 */
public final class StreamPuts implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(50);
    /** The time for a try, and as much to wait for a stream before it. */
    private static final long LEAST_NANOS = 2 * RoutedCalls.LEAST_NANOS;
    /** Until a stream is open, which takes two where it is never answered, and then for the put itself. */
    private static final int TIMES_OF_A_TRY = 3;

    private final Streams streams;
    private final String topic;
    private final String producer;
    private final Caller caller;
    private final Lock lock = new ReentrantLock();
    private final PutSession session; // with its consequences, in steps under the lock
    private List<Runnable> endings = new ArrayList<>(); // to be run without the lock
    private boolean ticking;

    /** Makes a put by calls until it is stored, fails, or expires. */
    @FunctionalInterface
    public interface Caller {
        /** Begins the put; completes with its failure, if it fails. */
        CompletableFuture<?> call(NumberedPut put, Duration within);
    }

    /**
     * Creates the puts of a producer.
     *
     * @param topic resource name of its topic
     * @param producer its unique name: 1 to 64 of {@code A-Z a-z 0-9 - _}
     */
    public StreamPuts(Streams streams, String topic, String producer, Caller caller) {
        this(streams, topic, producer, false, caller);
    }

    /**
     * Creates the puts of a producer.
     *
     * @param topic resource name of its topic
     * @param producer its unique name: 1 to 64 of {@code A-Z a-z 0-9 - _}
     * @param gapless whether nothing more is stored in a partition behind a failed put: all later puts there fail
     */
    public StreamPuts(Streams streams, String topic, String producer, boolean gapless, Caller caller) {
        this.streams = streams;
        this.topic = topic;
        this.producer = producer;
        this.caller = caller;
        session = new PutSession(
                new Steps(),
                streams.routes(),
                topic,
                streams.timeout(),
                gapless,
                new SplittableRandom(producer.hashCode()));
    }

    /**
     * Puts a block; never waits.
     *
     * @param number grows from put to put
     * @param within when it fails, if it was not stored by then
     * @return completes when it is stored, with the offset of its first message unless it went by a call; or with a
     *     {@link CallFailure}; on any thread
     */
    public CompletableFuture<OptionalLong> put(
            PartitionRef partition, MessageBlock block, long number, Duration within) {
        return putWithin(new NumberedPut(producer, partition, block, number), within);
    }

    /**
     * Puts a block; never waits.
     *
     * @param put with a number that grows from put to put
     * @param within when it fails, if it was not stored by then
     * @return as of the other methods
     */
    public CompletableFuture<OptionalLong> putWithin(NumberedPut put, Duration within) {
        long until = streams.nanos() + Math.max(LEAST_NANOS, within.toNanos());
        return put(new PendingPut(put, until, until));
    }

    /**
     * Puts a block, now or again; never waits. The first try has its full time in any case, as that of a call.
     *
     * @param repeated time within which it may be tried again
     * @return completes when it is stored, with the offset of its first message unless it went by a call; or with a
     *     {@link CallFailure}; on any thread
     */
    public CompletableFuture<OptionalLong> put(NumberedPut put, Duration repeated) {
        long until = streams.nanos() + repeated.toNanos();
        return put(new PendingPut(
                put, until, until + TIMES_OF_A_TRY * streams.timeout().toNanos()));
    }

    private CompletableFuture<OptionalLong> put(PendingPut put) {
        step(() -> session.put(put));
        return put.done;
    }

    /** Fails the puts in flight, and disconnects from the servers. */
    @Override
    public void close() {
        step(session::close);
    }

    /** Runs a step under the lock, and then its consequences without it. */
    private void step(Runnable step) {
        List<Runnable> ended;
        lock.lock();
        try {
            step.run();
            if (!ticking && session.isBusy()) {
                ticking = true;
                streams.later(TICK, () -> step(this::tick));
            }
            ended = endings.isEmpty() ? List.of() : endings;
            endings = ended.isEmpty() ? endings : new ArrayList<>();
        } finally {
            lock.unlock();
        }
        ended.forEach(Runnable::run);
    }

    private void tick() {
        ticking = false;
        session.tick();
    }

    /** The session's actions: at once if they do not wait, else when the lock is free. Confined: the lock. */
    private final class Steps implements PutSession.Ground {
        @Override
        public long nanos() {
            return streams.nanos();
        }

        @Override
        public void open(PutLink link) {
            StreamConnection connection =
                    streams.connection(link.server(), topic, producer, new StreamConnection.Listener() {
                        @Override
                        public void received(ServerMessage message) {
                            step(() -> session.received(link, message));
                        }

                        @Override
                        public void over(IOException why) {
                            step(() -> session.over(link, why));
                        }
                    });
            link.connect(connection);
            endings.add(connection::start);
        }

        @Override
        public void call(PendingPut put, Runnable ended) {
            endings.add(() -> {
                var unused = called(put).whenComplete((stored, thrown) -> {
                    if (thrown == null) {
                        put.done.complete(put.offset());
                    } else {
                        put.done.completeExceptionally(thrown);
                    }
                    step(ended);
                });
            });
        }

        private CompletableFuture<?> called(PendingPut put) {
            try {
                Duration within = Duration.ofNanos(put.deadlineNanos - streams.nanos());
                return caller.call(put.numbered(), within);
            } catch (RuntimeException | Error e) { // nothing else would end the put, nor the puts behind it
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void end(PendingPut put, @Nullable CallFailure failure) {
            endings.add(() -> {
                if (failure == null) {
                    put.done.complete(put.offset());
                } else {
                    put.done.completeExceptionally(put.ending(failure));
                }
            });
        }
    }
}
