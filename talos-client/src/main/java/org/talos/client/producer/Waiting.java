// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosClientException;

/**
 * A message that waits to be put, or is in flight.
 *
 * <p>Thread-safe: the time of its queueing and the listener for its end are set under the lock of its queue.
 */
sealed class Waiting permits WaitingTogether {
    private static final long NO_OFFSET = -1;
    /** The bytes of a message in a put besides its contents: its lengths and times. */
    private static final int AROUND_BYTES = 64;
    /**
     * The bytes in the heap, with the future of its end and its place in the queue: three references and two numbers.
     */
    static final long OWN_HEAP_BYTES =
            HeapBytes.object(3, 2 * Long.BYTES) + SentMessage.HEAP_BYTES + HeapBytes.REFERENCE;

    private final OutgoingMessage message;
    private final long size;
    private final Ending ending;
    private long acceptedNanos;
    private volatile @Nullable CompletableFuture<Void> ended; // made by a flush that waits for it

    /** Is notified once of the message's outcome, and runs the program's callbacks. */
    interface Ending {
        /** @param offset in the partition; negative if it is not known */
        void stored(int partition, long offset);

        void failed(TalosClientException failure);
    }

    /** Creates a message to queue. */
    Waiting(OutgoingMessage message, Ending ending) {
        this(message, OWN_HEAP_BYTES + message.heapBytes(), ending);
    }

    /** @param size bytes of the buffer that it takes */
    Waiting(OutgoingMessage message, long size, Ending ending) {
        this.message = message;
        this.size = size;
        this.ending = ending;
    }

    /** Adds its messages to those of a put. */
    void addTo(List<OutgoingMessage> put) {
        put.add(message);
    }

    /** Returns the number of its messages. */
    int count() {
        return 1;
    }

    /** Returns the bytes of its largest message. */
    int largest() {
        return message.bodyLength();
    }

    /** Returns the identity that the program has given the message, which is then a put of its own. */
    Optional<PutKey> key() {
        return Optional.empty();
    }

    /** Returns whether it is a put of its own. */
    final boolean isAlone() {
        return key().isPresent();
    }

    /** Returns the bytes of the buffer that it takes: those of the heap. */
    final long size() {
        return size;
    }

    /** Returns approximately the bytes that it takes in a put, before compression. */
    int putBytes() {
        return message.size() + AROUND_BYTES;
    }

    final void queued(long nanos) {
        acceptedNanos = nanos;
    }

    final long acceptedNanos() {
        return acceptedNanos;
    }

    /** Completes when the message has ended; must be requested before the message is taken for completion. */
    final CompletableFuture<Void> ended() {
        CompletableFuture<Void> asked = ended;
        if (asked == null) {
            asked = new CompletableFuture<>();
            ended = asked;
        }
        return asked;
    }

    /** Ends a message that was never queued. */
    final void refuse(TalosClientException refusal) {
        end(0, NO_OFFSET, refusal);
    }

    /** @param failure why the message was not acknowledged; null if it was */
    final void end(int partition, long offset, @Nullable TalosClientException failure) {
        try {
            if (failure == null) {
                ending.stored(partition, offset);
            } else {
                ending.failed(failure);
            }
        } finally {
            CompletableFuture<Void> asked = ended;
            if (asked != null) {
                asked.complete(null);
            }
        }
    }
}
