// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.talos.client.consumer.PartitionReader.GivenUpException;
import org.talos.client.consumer.PartitionReader.Processed;
import org.talos.client.transport.ClientRuntime;

/**
 * Passes what the readers of a member fetch on to the program that polls. A reader waits, with one batch of its
 * partition, until the program has polled it and polls again: then the batch counts as processed.
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
    private boolean closed;

    Polls(ClientRuntime runtime) {
        lock = runtime.lock();
        arrived = lock.newCondition();
        polledAgain = lock.newCondition();
    }

    /** What a reader has fetched. Confined: by the lock, but for what does not change. */
    static final class Batch {
        private final List<FetchedMessage> messages;
        private final Processed checkpoint;
        private boolean isProcessed;
        private boolean isGivenUp;

        Batch(List<FetchedMessage> messages, Processed checkpoint) {
            this.messages = messages;
            this.checkpoint = checkpoint;
        }

        List<FetchedMessage> messages() {
            return messages;
        }

        Checkpoint checkpoint() {
            return checkpoint;
        }

        /** Whether a message is one of these. */
        boolean has(FetchedMessage message) {
            FetchedMessage first = messages.get(0);
            return first.topic().equals(message.topic())
                    && first.partition() == message.partition()
                    && first.offset() <= message.offset()
                    && message.offset() <= messages.get(messages.size() - 1).offset();
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
            if (closed || batch.isGivenUp) {
                throw new GivenUpException();
            }
            polledAgain.await();
        }
    }

    /** Notes that what was polled has been processed, and waits for more. Empty if there is nothing in that time. */
    List<Batch> next(long withinNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            polled.forEach(each -> each.isProcessed = true);
            polled = List.of();
            polledAgain.signalAll();
            long left = withinNanos;
            while (!closed && takeWaiting().isEmpty() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return polled;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the batches that wait, but for those of partitions that have to be handed over. */
    @GuardedBy("lock")
    private List<Batch> takeWaiting() {
        List<Batch> taken = new ArrayList<>();
        for (Batch each : waiting) {
            if (each.checkpoint.isOver()) {
                each.isGivenUp = true;
                polledAgain.signalAll();
            } else {
                taken.add(each);
            }
        }
        waiting.clear();
        polled = List.copyOf(taken);
        return polled;
    }

    /** What was polled last. */
    List<Batch> polled() {
        lock.lock();
        try {
            return polled;
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

    /** Has all who wait go on: no batch that waits, or was polled last, counts as processed any more. */
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
