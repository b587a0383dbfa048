// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Instant;
import java.util.Optional;
import org.talos.client.TalosClientException.Outcome;

/**
 * The state of a {@link TalosProducer}, and its figures since it was opened. The producer continues while the figures
 * are read one after another. Immutable.
 *
 * @param topic name of its topic
 * @param state whether it takes messages
 * @param partitions number of the topic's partitions at the last look-up
 * @param lastContact when a server last answered the producer: stored a put, refused one for good, or described the
 *     topic, which happens at the opening and every {@code partitionCheckInterval}; by this machine's clock. If it does
 *     not advance while messages are buffered, nothing gets through
 * @param bufferedMessages messages that were accepted and have not completed: they wait to be put, are in flight, or
 *     wait for their callbacks
 * @param bufferedBytes bytes of the heap that those take, and the puts in flight as they are sent; bounded by
 *     {@link ProducerConfig#maxBufferedBytes}
 * @param putsInFlight puts that have been begun and have not ended, over all partitions
 * @param storedMessages messages that were acknowledged
 * @param storedPuts puts that were acknowledged
 * @param storedBytes bytes of those puts, as they were sent: compressed
 * @param failedMessages failed messages, including those that were refused at once
 * @param lastFailure of a message; empty if none has failed
 */
public record ProducerSnapshot(
        String topic,
        State state,
        int partitions,
        Instant lastContact,
        long bufferedMessages,
        long bufferedBytes,
        int putsInFlight,
        long storedMessages,
        long storedPuts,
        long storedBytes,
        long failedMessages,
        Optional<Failure> lastFailure) {
    /** The state of a producer: open or closed. */
    public enum State {
        /** It accepts messages. */
        OPEN,
        /** It has been closed, or is being closed: buffered messages still complete. */
        CLOSED
    }

    /**
     * How a message has failed. Immutable.
     *
     * @param code that of the exception
     * @param outcome known outcome of the message
     * @param at when, by this machine's clock
     */
    public record Failure(String code, Outcome outcome, Instant at) {}

    /** Returns the mean number of messages of a stored put; 0 if there is none. */
    public double meanBatchMessages() {
        return storedPuts == 0 ? 0 : (double) storedMessages / storedPuts;
    }

    /** Returns the mean bytes of a stored put, as it was sent; 0 if there is none. */
    public double meanBatchBytes() {
        return storedPuts == 0 ? 0 : (double) storedBytes / storedPuts;
    }
}
