// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.common.message.MalformedBlockException;

/**
 * Reads one partition that this member holds: fetches, has it processed, commits, until it is told to stop.
 *
 * <p>Thread-safe; its run is one thread's.
 */
final class PartitionReader implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final String OUT_OF_RANGE = "MESSAGE_OFFSET_OUT_OF_RANGE";
    private static final long NOTHING = -1;

    private final ClientCalls calls;
    private final GroupCalls group;
    private final int partition;
    private final ConsumerConfig config;
    private final MessageProcessor.Factory factory;
    private final BooleanSupplier held;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition told = lock.newCondition();

    @GuardedBy("lock")
    private boolean stopping;

    @GuardedBy("lock")
    private boolean lost;

    // The run's own.
    private long position = SimpleConsumer.EARLIEST;
    private long processed = NOTHING;
    private long committed = NOTHING;
    private int uncommitted;
    private long committedAtNanos;
    private long fetches;

    /** @param held whether the member's locks are surely still its own */
    PartitionReader(
            ClientCalls calls,
            GroupCalls group,
            int partition,
            ConsumerConfig config,
            MessageProcessor.Factory factory,
            BooleanSupplier held) {
        this.calls = calls;
        this.group = group;
        this.partition = partition;
        this.config = config;
        this.factory = factory;
        this.held = held;
        committedAtNanos = calls.nanos();
    }

    /** What is being processed is finished and committed, then the partition is given up. */
    void stop() {
        lock.lock();
        try {
            stopping = true;
            told.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The partition is another's: nothing more is processed or committed. */
    void lost() {
        lock.lock();
        try {
            lost = true;
            stopping = true;
            told.signalAll();
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

    boolean isLost() {
        lock.lock();
        try {
            return lost;
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
                left = told.awaitNanos(left);
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
            MessageProcessor processor = factory.create(partition);
            begin();
            while (!isStopping()) {
                round(processor);
            }
            end(processor);
        } catch (RuntimeException e) {
            LOG.error("a reader failed partition={}", partition, e);
        } finally {
            giveUp();
        }
    }

    /** Finds out where to start; asks until it is told. */
    private void begin() {
        while (!isStopping()) {
            try {
                OptionalLong next = config.ignoreCommitted() ? OptionalLong.empty() : group.committed(partition);
                position = next.isPresent() ? next.getAsLong() : start(config.start());
                return;
            } catch (TalosClientException e) {
                failed(e);
            }
        }
    }

    private long start(StartPosition from) throws TalosClientException {
        if (from.time().isPresent()) {
            return group.at(partition, from.time().get());
        }
        return from.end() ? group.end(partition) : SimpleConsumer.EARLIEST;
    }

    private void round(MessageProcessor processor) {
        List<FetchedMessage> messages;
        try {
            messages = fetch();
        } catch (TalosClientException e) {
            if (e.code().equals(OUT_OF_RANGE)) {
                startAgain();
            } else {
                failed(e);
            }
            return;
        }
        if (!messages.isEmpty() && process(processor, messages)) {
            processed = messages.get(messages.size() - 1).offset();
            position = processed + 1;
            uncommitted += messages.size();
        }
        if (config.autoCommit() && isCommitDue()) {
            commitProcessed();
        }
    }

    private List<FetchedMessage> fetch() throws TalosClientException {
        String id = "get#" + ++fetches;
        try {
            return GetOperations.read(
                    calls.result(GetOperations.get(
                            group.place(partition), position, config.maxFetchMessages(), config.maxFetchBytes(), id)),
                    position);
        } catch (MalformedBlockException e) {
            throw ClientCalls.failure(e);
        }
    }

    private void startAgain() {
        try {
            long before = position;
            position = start(config.outOfRange());
            committed = NOTHING;
            processed = NOTHING;
            LOG.warn(
                    "messages are gone: reading goes on elsewhere partition={} old={} new={}",
                    partition,
                    before,
                    position);
        } catch (TalosClientException e) {
            failed(e);
        }
    }

    private void failed(TalosClientException e) {
        LOG.warn("partition can't be read partition={} code={}", partition, e.code(), e);
        pause(PAUSE);
    }

    /** Until it succeeds, or the partition is no longer to be read. */
    private boolean process(MessageProcessor processor, List<FetchedMessage> messages) {
        while (isOurs()) {
            try {
                processor.process(messages, this::commitByHand);
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                stop();
                return false;
            } catch (Exception e) {
                LOG.error(
                        "a processor failed, its messages are given to it again partition={} offset={}",
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

    private void commitByHand(FetchedMessage last) throws TalosClientException {
        if (!isOurs() || !group.commit(partition, last.offset())) {
            lost();
            throw new FatalException("LOCK_LOST", "LOCK_LOST: partition " + partition + " is another member's", null);
        }
        committed(last.offset());
    }

    private void committed(long last) {
        committed = last;
        uncommitted = 0;
        committedAtNanos = calls.nanos();
    }

    private boolean isCommitDue() {
        return processed > committed
                && (uncommitted >= config.commitMessages()
                        || calls.nanos() - committedAtNanos
                                >= config.commitInterval().toNanos());
    }

    private void commitProcessed() {
        try {
            if (!isOurs() || !group.commit(partition, processed)) {
                lost();
                return;
            }
            committed(processed);
        } catch (TalosClientException e) {
            LOG.warn("place can't be committed, tried again later partition={} code={}", partition, e.code(), e);
            committedAtNanos = calls.nanos();
        }
    }

    private void end(MessageProcessor processor) {
        if (config.autoCommit() && processed > committed && isOurs()) {
            commitProcessed();
        }
        try {
            processor.stop(this::commitByHand);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.error("a processor failed when it was stopped partition={}", partition, e);
        }
    }

    private void giveUp() {
        if (!isOurs()) {
            return;
        }
        try {
            group.unlock(partition);
        } catch (TalosClientException e) {
            LOG.warn("lock can't be given up, it ends by itself partition={} code={}", partition, e.code(), e);
        }
    }
}
