// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The configuration of a {@link TalosProducer}: batches, buffer, times. Immutable.
 *
 * @param maxBatchMessages most messages of one put; 1 to 5,000
 * @param maxBatchBytes most bytes of one put, before compression; 1 to 10 MiB. A larger message is a put of its own
 * @param linger how long a message waits for others while no put of its partition is in flight; zero sends at once
 * @param maxBufferedMessages most messages that are accepted and not completed, over all partitions
 * @param maxBufferedBytes most bytes of those messages
 * @param maxBlock how long {@code send} waits for room in the buffer; zero fails at once
 * @param deliveryTimeout time from {@code send} until the message fails. It must be shorter than the server's dedupe
 *     window (10 minutes by default), or a repetition could be stored twice
 * @param compression of the puts
 * @param partitionCheckInterval how often the topic's number of partitions is looked up
 * @param closeTimeout how long {@code close} waits for messages that are buffered or in flight
 */
public record ProducerConfig(
        int maxBatchMessages,
        int maxBatchBytes,
        Duration linger,
        int maxBufferedMessages,
        long maxBufferedBytes,
        Duration maxBlock,
        Duration deliveryTimeout,
        Compression compression,
        Duration partitionCheckInterval,
        Duration closeTimeout) {
    private static final int MOST_BATCH_MESSAGES = 5_000;
    private static final int MOST_BATCH_BYTES = 10 << 20;

    /** Refuses values out of range. */
    public ProducerConfig {
        inRange("maxBatchMessages", maxBatchMessages, MOST_BATCH_MESSAGES);
        inRange("maxBatchBytes", maxBatchBytes, MOST_BATCH_BYTES);
        inRange("maxBufferedMessages", maxBufferedMessages, Integer.MAX_VALUE);
        inRange("maxBufferedBytes", maxBufferedBytes, Long.MAX_VALUE);
        notNegative("linger", linger);
        notNegative("maxBlock", maxBlock);
        positive("deliveryTimeout", deliveryTimeout);
        positive("partitionCheckInterval", partitionCheckInterval);
        notNegative("closeTimeout", closeTimeout);
    }

    private static void inRange(String name, long value, long most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1.." + most + ")");
        }
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: longer than 0)");
        }
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or longer)");
        }
    }

    /** The defaults: 2,000 messages or 1 MiB a put, 5 ms linger, 128 MiB buffer, 2 minutes to deliver, SNAPPY. */
    public static ProducerConfig defaults() {
        return new ProducerConfig(
                2_000,
                1 << 20,
                Duration.ofMillis(5),
                1_000_000,
                128L << 20,
                Duration.ofSeconds(60),
                Duration.ofMinutes(2),
                Compression.SNAPPY,
                Duration.ofMinutes(3),
                Duration.ofSeconds(30));
    }

    private ProducerConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.finish();
    }

    /** This configuration with other bounds of a put. */
    public ProducerConfig withBatch(int messages, int bytes, Duration lingering) {
        return with(draft -> {
            draft.maxBatchMessages = messages;
            draft.maxBatchBytes = bytes;
            draft.linger = lingering;
        });
    }

    /** This configuration with another size of the buffer. */
    public ProducerConfig withBuffer(int messages, long bytes, Duration block) {
        return with(draft -> {
            draft.maxBufferedMessages = messages;
            draft.maxBufferedBytes = bytes;
            draft.maxBlock = block;
        });
    }

    /** This configuration with another compression. */
    public ProducerConfig withCompression(Compression type) {
        return with(draft -> draft.compression = type);
    }

    /** This configuration with another delivery time-out and another time for {@code close}. */
    public ProducerConfig withTimes(Duration delivery, Duration closing) {
        return with(draft -> {
            draft.deliveryTimeout = delivery;
            draft.closeTimeout = closing;
        });
    }

    /** This configuration with another interval between look-ups of the topic. */
    public ProducerConfig withPartitionCheckInterval(Duration interval) {
        return with(draft -> draft.partitionCheckInterval = interval);
    }

    /** The components of a changed copy. Confined: the method that makes it. */
    private static final class Draft {
        private int maxBatchMessages;
        private int maxBatchBytes;
        private Duration linger;
        private int maxBufferedMessages;
        private long maxBufferedBytes;
        private Duration maxBlock;
        private Duration deliveryTimeout;
        private Compression compression;
        private Duration partitionCheckInterval;
        private Duration closeTimeout;

        Draft(ProducerConfig from) {
            maxBatchMessages = from.maxBatchMessages;
            maxBatchBytes = from.maxBatchBytes;
            linger = from.linger;
            maxBufferedMessages = from.maxBufferedMessages;
            maxBufferedBytes = from.maxBufferedBytes;
            maxBlock = from.maxBlock;
            deliveryTimeout = from.deliveryTimeout;
            compression = from.compression;
            partitionCheckInterval = from.partitionCheckInterval;
            closeTimeout = from.closeTimeout;
        }

        ProducerConfig finish() {
            return new ProducerConfig(
                    maxBatchMessages,
                    maxBatchBytes,
                    linger,
                    maxBufferedMessages,
                    maxBufferedBytes,
                    maxBlock,
                    deliveryTimeout,
                    compression,
                    partitionCheckInterval,
                    closeTimeout);
        }
    }
}
