// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.talos.client.TalosClientException;
import org.talos.client.stream.StreamReads;
import org.talos.client.stream.Streams;
import org.talos.client.transport.ClientRuntime;
import org.talos.client.transport.PartitionRef;

/**
 * Gets the messages behind the last fetch over a stream, for a program that reads a partition piece by piece. A read
 * that begins at another offset, or while another thread waits, uses a call.
 *
 * <p>Thread-safe.
 */
final class ReadOn {
    private static final long WAIT_NANOS = Duration.ofSeconds(1).toNanos(); // as a call's at the end of a partition
    private static final long NOTHING = -1;

    private final PartitionRef partition;
    private final Streams streams;
    private final Lock lock;
    private final Condition arrived;

    private volatile StreamReads.Reader stream; // changed under the lock, while no thread uses it

    @GuardedBy("lock")
    private long next = NOTHING;

    @GuardedBy("lock")
    private boolean busy;

    ReadOn(ClientRuntime runtime, Streams streams, PartitionRef partition) {
        this.partition = partition;
        this.streams = streams;
        lock = runtime.lock();
        arrived = lock.newCondition();
        stream = streams.shared(partition, this::arrived);
    }

    private void arrived() {
        lock.lock();
        try {
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the messages from an offset on; empty if a call must get them. Also empty if they did not come in time,
     * although there may be some: a program might take an empty result for the partition's end.
     */
    Optional<List<FetchedMessage>> fetch(long offset, int maxMessages, int maxBytes) throws TalosClientException {
        if (!begin(offset)) {
            return Optional.empty();
        }
        long end = offset;
        try {
            List<FetchedMessage> messages = Arrivals.take(stream, partition, offset, maxMessages, maxBytes);
            end = messages.isEmpty() ? offset : SimpleConsumer.end(messages);
            if (messages.isEmpty()) {
                var unused = stream.readAhead(offset); // no thread waits for it any more
                return Optional.empty();
            }
            return Optional.of(messages);
        } finally {
            end(end);
        }
    }

    /** Waits for the messages behind the last fetch; returns false if the stream does not have them. */
    private boolean begin(long offset) {
        lock.lock();
        try {
            if (busy || offset != next) {
                return false;
            }
            if (!stream.read(offset)) {
                leaveOthers();
                return false;
            }
            busy = true;
            long left = WAIT_NANOS;
            while (left > 0 && stream.isAwaited()) {
                left = arrived.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            busy = false;
            var unused = stream.readAhead(offset); // no thread waits for it any more
            Thread.currentThread().interrupt(); // the call reports it
            return false;
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Moves to a stream of its own if this reader was too slow for the readers with which it has shared one. */
    @GuardedBy("lock")
    private void leaveOthers() {
        if (stream.hasYielded()) {
            stream = streams.own(partition, this::arrived);
        }
    }

    private void end(long offset) {
        lock.lock();
        try {
            busy = false;
            next = offset;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a call has returned the messages before an offset. */
    void called(long offset) {
        lock.lock();
        try {
            if (!busy) {
                next = offset;
                stream.called();
            }
        } finally {
            lock.unlock();
        }
    }
}
