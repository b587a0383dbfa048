// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.talos.client.TalosClientException;
import org.talos.client.WakeupException;
import org.talos.client.consumer.PartitionHold.Processed;
import org.talos.client.consumer.PartitionReader.AbandonedException;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.transport.ClientRuntime;

/**
 * Passes the messages that a consumer's readers fetch to the program that polls. A reader waits, with one batch of its
 * partition, until the program has polled it and polls again: then the batch counts as processed. A batch of a paused
 * partition stays, and a batch of a partition that was moved is dropped.
 *
 * <p>Thread-safe; one thread polls.
 */
final class Polls implements MessageProcessor {
    private final Lock lock;
    private final Condition arrived;
    private final Condition polledAgain;

    @GuardedBy("lock")
    private final List<Batch> waiting = new ArrayList<>();

    @GuardedBy("lock")
    private List<Batch> polled = List.of();

    @GuardedBy("lock")
    private final Map<TopicPartition, Delivered> delivered = new HashMap<>();

    @GuardedBy("lock")
    private boolean woken;

    @GuardedBy("lock")
    private boolean closed;

    Polls(ClientRuntime runtime) {
        lock = runtime.lock();
        arrived = lock.newCondition();
        polledAgain = lock.newCondition();
    }

    /** A batch that a reader has fetched. Confined: by the lock, except for constant fields. */
    static final class Batch {
        private final List<FetchedMessage> messages;
        private final Processed checkpoint;
        private boolean isProcessed;
        private boolean isAbandoned;

        Batch(List<FetchedMessage> messages, Processed checkpoint) {
            this.messages = messages;
            this.checkpoint = checkpoint;
        }

        List<FetchedMessage> messages() {
            return messages;
        }

        private TopicPartition partition() {
            return new TopicPartition(messages.get(0).topic(), messages.get(0).partition());
        }

        private Delivered delivered() {
            return new Delivered(
                    checkpoint,
                    messages.get(0).offset(),
                    messages.get(messages.size() - 1).offset());
        }

        private long bytes() {
            return messages.stream().mapToLong(each -> each.body().length).sum();
        }
    }

    /**
     * The messages that the program has polled of a partition since this consumer took it. Immutable.
     *
     * @param checkpoint commits it; after a seek, the messages polled since then, or the target of the seek
     * @param first smallest offset of a message
     * @param last largest offset of a message, smaller than the first if there is none
     */
    record Delivered(Processed checkpoint, long first, long last) {
        private Delivered with(Delivered more) {
            return more.checkpoint.continues(checkpoint)
                    ? new Delivered(more.checkpoint, Math.min(first, more.first), Math.max(last, more.last))
                    : more;
        }
    }

    @Override
    public void process(List<FetchedMessage> messages, Checkpoint checkpoint) throws InterruptedException {
        Batch batch = new Batch(messages, (Processed) checkpoint);
        lock.lock();
        try {
            waiting.add(batch);
            arrived.signalAll();
            try {
                awaitProcessed(batch);
            } finally {
                waiting.remove(batch);
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void awaitProcessed(Batch batch) throws InterruptedException {
        while (!batch.isProcessed) {
            if (closed || batch.isAbandoned || batch.checkpoint.isSuperseded()) {
                throw new AbandonedException();
            }
            polledAgain.await();
        }
    }

    /**
     * Marks polled messages as processed, and waits for more. Empty if none come in that time.
     *
     * @throws WakeupException another thread has ended this poll, or the next one, which is this
     */
    List<Batch> next(long withinNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            polled.forEach(each -> each.isProcessed = true);
            polled = List.of();
            polledAgain.signalAll();
            long left = withinNanos;
            while (!closed && !woken && takeWaiting().isEmpty() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            if (woken && !closed) {
                woken = false;
                throw new WakeupException();
            }
            return polled;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the waiting batches, except those of partitions that are paused or must be handed over. */
    @GuardedBy("lock")
    private List<Batch> takeWaiting() {
        List<Batch> taken = new ArrayList<>();
        for (Batch each : waiting) {
            if (each.checkpoint.isOver() || each.checkpoint.isSuperseded()) {
                each.isAbandoned = true;
                polledAgain.signalAll();
            } else if (!each.checkpoint.isPaused()) {
                taken.add(each);
            }
        }
        waiting.removeIf(each -> each.isAbandoned);
        waiting.removeAll(taken);
        for (Batch each : taken) {
            each.checkpoint.given();
            var unused = delivered.merge(each.partition(), each.delivered(), Delivered::with);
        }
        polled = List.copyOf(taken);
        return polled;
    }

    /** Returns the messages polled so far, by partition. */
    List<Delivered> delivered() {
        lock.lock();
        try {
            return List.copyOf(delivered.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the messages polled of a message's partition; empty if that message was not polled. */
    Optional<Delivered> delivered(FetchedMessage message) {
        lock.lock();
        try {
            return Optional.ofNullable(delivered.get(new TopicPartition(message.topic(), message.partition())))
                    .filter(each -> each.first <= message.offset() && message.offset() <= each.last);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that the program has moved a partition: commits now cover the target, and earlier batches no longer count.
     */
    void sought(TopicPartition partition, Processed there) {
        lock.lock();
        try {
            Delivered nothing = new Delivered(there, Long.MAX_VALUE, Long.MIN_VALUE);
            var unused = delivered.merge(partition, nothing, Delivered::with);
            polledAgain.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes a waiting poll, because a batch can be taken that could not be taken before. */
    void resumed() {
        lock.lock();
        try {
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the poll that waits, or the next one. */
    void wakeup() {
        lock.lock();
        try {
            woken = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes of the bodies of a partition's messages that wait to be polled. */
    long waitingBytes(TopicPartition partition) {
        lock.lock();
        try {
            return waiting.stream()
                    .filter(each -> each.partition().equals(partition))
                    .mapToLong(Batch::bytes)
                    .sum();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Commits the polled messages of a partition, up to and excluding an offset. Waits for the server.
     *
     * @param isAll whether all polled messages are committed: in this case, the loss of the partition to a member is
     *     reported once
     */
    void commit(Delivered of, long before, boolean isAll) throws TalosClientException {
        try {
            of.checkpoint().commitTo(before);
        } catch (TalosClientException e) {
            if (isAll
                    && e.code().equals(GroupCalls.LOCK_LOST)
                    && of.checkpoint().isOver()) {
                forget(of);
            }
            throw e;
        }
    }

    /** Forgets messages of partitions that another member reads now. */
    private void forget(Delivered lost) {
        lock.lock();
        try {
            var unused = delivered.values().remove(lost);
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waits. Batches that wait, or were polled last, no longer count as processed. */
    void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
            polledAgain.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
