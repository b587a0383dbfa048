// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.transport.PartitionRef;

/**
 * Reads one partition that this member has locked: fetches, has the messages processed, commits, until it is stopped.
 *
 * <p>Always true: one commit is under way at a time, and none goes back. The server would take an older one for a
 * commit of a member that has lost the lock.
 *
 * <p>Confined: {@link #run} belongs to one thread of the consumer. All else is thread-safe.
 */
final class PartitionReader implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final String OUT_OF_RANGE = "MESSAGE_OFFSET_OUT_OF_RANGE";
    private static final long NOTHING = -1;

    private final ClientCalls calls;
    private final GroupCalls group;
    private final PartitionRef partition;
    private final ConsumerConfig config;
    private final MessageProcessor.Factory factory;
    private final BooleanSupplier held;
    private final StartOffsets starts;
    private final Arrivals arrivals;

    private final Lock lock;
    private final Condition changed; // it is to stop, or something has arrived

    @GuardedBy("lock")
    private boolean stopping;

    @GuardedBy("lock")
    private boolean lost;

    @GuardedBy("lock")
    private boolean released;

    // Used by run() only.
    private long position = SimpleConsumer.EARLIEST;
    private long processed = NOTHING;
    private final Backoff backoff = new Backoff();

    // Changed by who commits: run(), or a program that polls.
    private final Lock committing; // never taken by who has the other lock
    private volatile Begin start = new Begin(); // another one with each start: what was read before is out of date
    private volatile long committed = NOTHING;
    private volatile long committedAtNanos;
    private volatile boolean isStartKept = true;
    private final AtomicInteger uncommitted = new AtomicInteger();

    /** A start of the reader, at its first offset or at another one later. Immutable. */
    private static final class Begin {}

    /**
     * A reader that has not started.
     *
     * @param held whether the member's locks have surely not expired
     * @param starts finds where to begin
     * @param ahead how the member reads ahead
     */
    PartitionReader(
            ClientCalls calls,
            GroupCalls group,
            PartitionRef partition,
            ConsumerConfig config,
            MessageProcessor.Factory factory,
            BooleanSupplier held,
            StartOffsets starts,
            Ahead ahead) {
        this.calls = calls;
        this.group = group;
        this.partition = partition;
        this.config = config;
        this.factory = factory;
        this.held = held;
        this.starts = starts;
        lock = calls.runtime().lock();
        changed = lock.newCondition();
        committing = calls.runtime().lock();
        arrivals = ahead.arrivals(partition, this::arrived);
        committedAtNanos = calls.nanos();
    }

    /** Ends the reader after the current call of the processor: commits, and releases the lock. */
    void stop() {
        lock.lock();
        try {
            stopping = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the reader of a partition whose lock is lost: nothing more is processed or committed. */
    void lost() {
        lock.lock();
        try {
            lost = true;
            stopping = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isStopping() {
        lock.lock();
        try {
            return stopping;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the partition's lock is to be renewed: it is neither lost nor released. */
    boolean isLocking() {
        lock.lock();
        try {
            return !lost && !released;
        } finally {
            lock.unlock();
        }
    }

    private boolean isOurs() {
        lock.lock();
        try {
            return !lost && held.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private void pause(Duration duration) {
        lock.lock();
        try {
            long left = duration.toNanos();
            while (left > 0 && !stopping) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            stopping = true;
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        try {
            MessageProcessor processor = factory.create(new TopicPartition(partition.topic(), partition.number()));
            begin();
            while (!isStopping()) {
                round(processor);
            }
            end(processor);
        } catch (RuntimeException | Error e) { // the top of the thread
            LOG.error("a reader failed partition={}", partition, e);
        } finally {
            arrivals.close();
            release();
        }
    }

    /** Looks up the offset to start from; repeated until it succeeds or the reader is stopped. */
    private void begin() {
        while (!isStopping()) {
            try {
                if (startAt(starts.begin(partition))) {
                    backoff.succeeded();
                    return;
                }
            } catch (TalosClientException e) {
                failed(e);
            }
        }
    }

    private boolean startAt(Optional<StartOffsets.Start> found) {
        if (found.isEmpty()) {
            LOG.warn("partition lost before it was read partition={}", partition);
            lost();
            return false;
        }
        committing.lock();
        try {
            position = found.get().position();
            start = new Begin();
            isStartKept = found.get().isKept();
            committed = Math.max(NOTHING, position - 1); // what is before the start is as good as committed
        } finally {
            committing.unlock();
        }
        return true;
    }

    private void round(MessageProcessor processor) {
        List<FetchedMessage> messages;
        try {
            messages = fetch();
        } catch (TalosClientException e) {
            if (e.code().equals(OUT_OF_RANGE)) {
                restart();
            } else if (e instanceof UnreadableBlockException block && isSkipped(block)) {
                skip(block);
            } else {
                failed(e);
            }
            return;
        }
        if (!messages.isEmpty()) {
            arrivals.beginAhead(messages.get(messages.size() - 1).offset() + 1);
        }
        if (!messages.isEmpty() && process(processor, messages)) {
            processed = messages.get(messages.size() - 1).offset();
            position = processed + 1;
            var unused = uncommitted.addAndGet(messages.size());
        }
        if (config.autoCommit() && isCommitDue()) {
            commitProcessed();
        }
    }

    /** The next messages; none if there are none for now, a commit is due, or the reader is stopped. */
    private List<FetchedMessage> fetch() throws TalosClientException {
        arrivals.begin(position);
        awaitArrival();
        if (isStopping() || arrivals.isAwaited()) {
            return List.of();
        }
        List<FetchedMessage> messages = arrivals.take();
        backoff.succeeded();
        return messages;
    }

    private void arrived() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits, but no longer than until what has been processed is to be committed. */
    private void awaitArrival() {
        lock.lock();
        try {
            long left = untilCommitNanos();
            while (arrivals.isAwaited() && !stopping && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            stopping = true;
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void restart() {
        try {
            long before = position;
            if (!startAt(starts.restart(partition))) {
                return;
            }
            processed = NOTHING;
            LOG.warn(
                    "messages have expired, reading goes on at another offset partition={} old={} new={}",
                    partition,
                    before,
                    position);
        } catch (TalosClientException e) {
            failed(e);
        }
    }

    private boolean isSkipped(UnreadableBlockException block) {
        try {
            return config.skipUnreadable().test(block);
        } catch (RuntimeException e) {
            LOG.error("the program failed when it was asked whether to skip a block partition={}", partition, e);
            return false;
        }
    }

    private void skip(UnreadableBlockException block) {
        LOG.warn(
                "a block is left out as it can't be read partition={} first={} last={}",
                partition,
                block.firstOffset(),
                block.lastOffset());
        backoff.succeeded();
        processed = block.lastOffset();
        position = processed + 1;
    }

    private void failed(TalosClientException e) {
        boolean isNew = backoff.isNew(e);
        Duration pause = backoff.failed(e);
        if (isNew) {
            LOG.warn("partition can't be read partition={} code={}", partition, e.code(), e);
        } else {
            LOG.warn(
                    "partition still can't be read partition={} code={} pause={} reason={}",
                    partition,
                    e.code(),
                    pause,
                    e.getMessage());
        }
        pause(pause);
    }

    /** Calls the processor until it succeeds, the reader is stopped or the lock is lost; true if it succeeded. */
    private boolean process(MessageProcessor processor, List<FetchedMessage> messages) {
        Processed checkpoint = new Processed(messages.get(messages.size() - 1).offset() + 1);
        while (isOurs()) {
            try {
                processor.process(messages, checkpoint);
                return true;
            } catch (GivenUpException e) {
                stop();
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                stop();
                return false;
            } catch (Exception | Error e) { // an Error too: its partition would be taken again and again in silence
                LOG.error(
                        "a processor failed, it gets the same messages again partition={} offset={}",
                        partition,
                        messages.get(0).offset(),
                        e);
                pause(config.failurePause());
                if (isStopping()) {
                    return false;
                }
            }
        }
        lost();
        return false;
    }

    /** Thrown by a processor that passes messages on to who polls: these will not be processed here. Immutable. */
    static final class GivenUpException extends RuntimeException {}

    /** What the program may commit. Thread-safe: a program that polls may commit it later. */
    final class Processed implements Checkpoint {
        private final Begin from = start;
        private final long end;

        /** @param end one past the last message that may be committed */
        Processed(long end) {
            this.end = end;
        }

        /** Whether the partition is to be released, or is lost. */
        boolean isOver() {
            return isStopping() || !isOurs();
        }

        /** Whether this is of the same reader and start as another one, and so covers what that does. */
        boolean continues(Processed before) {
            return from == before.from;
        }

        @Override
        public void commit() throws TalosClientException {
            commitBefore(end);
        }

        @Override
        public void commitBefore(long offset) throws TalosClientException {
            if (offset > end) {
                throw new IllegalArgumentException("offset: " + offset + " (expected: " + end + " at most)");
            }
            if (!PartitionReader.this.commit(offset - 1, from)) {
                lost();
                throw new FatalException(
                        GroupCalls.LOCK_LOST,
                        GroupCalls.LOCK_LOST + ": partition " + partition + " is another member's",
                        null);
            }
        }
    }

    /**
     * Commits all up to a message, unless that was done before.
     *
     * @param of the start after which the message was read. Before another one it has expired, or storage has lost it:
     *     nothing is to be committed
     * @return false if the lock is lost or released
     */
    private boolean commit(long last, Begin of) throws TalosClientException {
        committing.lock();
        try {
            if (of != start || last <= committed) {
                return true;
            }
            if (!isOurs() || !isLocking() || !group.commit(partition, last)) {
                return false;
            }
            committed = last;
            isStartKept = true;
            starts.committed(partition);
            uncommitted.set(0);
            committedAtNanos = calls.nanos();
            return true;
        } finally {
            committing.unlock();
        }
    }

    private boolean isCommitDue() {
        return processed > committed
                && (!isStartKept
                        || uncommitted.get() >= config.commitMessages()
                        || calls.nanos() - committedAtNanos
                                >= config.commitInterval().toNanos());
    }

    /** Until the next commit is due, if nothing more is processed; for ever if there is nothing to commit. */
    private long untilCommitNanos() {
        boolean isBehind = config.autoCommit() && processed > committed;
        return isBehind ? committedAtNanos + config.commitInterval().toNanos() - calls.nanos() : Long.MAX_VALUE;
    }

    private void commitProcessed() {
        try {
            if (!commit(processed, start)) {
                LOG.warn("offset not committed, the lock is lost partition={} offset={}", partition, processed);
                lost();
            }
        } catch (TalosClientException e) {
            LOG.warn("offset can't be committed, tried again later partition={} code={}", partition, e.code(), e);
            committedAtNanos = calls.nanos();
        }
    }

    private void end(MessageProcessor processor) {
        if (config.autoCommit() && processed > committed && isOurs()) {
            commitProcessed();
        }
        try {
            processor.stop(new Processed(Math.max(processed, committed) + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception | Error e) {
            LOG.error("a processor failed when it was stopped partition={}", partition, e);
        }
    }

    private void released() {
        lock.lock();
        try {
            released = true;
        } finally {
            lock.unlock();
        }
    }

    private void release() {
        if (!isOurs()) {
            return;
        }
        try {
            group.unlock(partition, this::released);
        } catch (TalosClientException e) {
            LOG.warn("lock can't be released, it expires partition={} code={}", partition, e.code(), e);
        }
    }
}
