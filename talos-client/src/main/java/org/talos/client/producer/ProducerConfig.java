// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;

/**
 * How a {@link TalosProducer} gathers messages and for how long it tries. Immutable.
 *
 * @param maxBatchMessages of one put; 1 to 5,000
 * @param maxBatchBytes of one put, before compression; 1 to 10 MiB. A single larger message is a put of its own
 * @param linger how long a message waits for company while no put of its partition is on its way; zero sends at once
 * @param maxBufferedMessages accepted and not yet ended, over all partitions
 * @param maxBufferedBytes the same in bytes
 * @param maxBlock how long {@code send} waits for room in the buffer; zero fails at once
 * @param deliveryTimeout from {@code send} until the message is given up. Shorter than the server remembers puts (10
 *     minutes by default), or a repetition could be stored twice
 * @param compression of the puts
 * @param partitionCheckInterval how often is looked whether the topic has grown
 * @param closeTimeout how long {@code close} waits for what is on its way
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

    /** Checks it. */
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

    /** 2,000 messages or 1 MiB a put, 5 ms linger, 128 MiB buffer, 2 minutes to deliver, SNAPPY. */
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

    /** With other bounds of a put. */
    public ProducerConfig withBatch(int messages, int bytes, Duration lingering) {
        return new ProducerConfig(
                messages,
                bytes,
                lingering,
                maxBufferedMessages,
                maxBufferedBytes,
                maxBlock,
                deliveryTimeout,
                compression,
                partitionCheckInterval,
                closeTimeout);
    }

    /** With other bounds of what is not yet ended. */
    public ProducerConfig withBuffer(int messages, long bytes, Duration block) {
        return new ProducerConfig(
                maxBatchMessages,
                maxBatchBytes,
                linger,
                messages,
                bytes,
                block,
                deliveryTimeout,
                compression,
                partitionCheckInterval,
                closeTimeout);
    }

    /** With another compression. */
    public ProducerConfig withCompression(Compression type) {
        return new ProducerConfig(
                maxBatchMessages,
                maxBatchBytes,
                linger,
                maxBufferedMessages,
                maxBufferedBytes,
                maxBlock,
                deliveryTimeout,
                type,
                partitionCheckInterval,
                closeTimeout);
    }

    /** With other times for a message, and for {@code close}. */
    public ProducerConfig withTimes(Duration delivery, Duration closing) {
        return new ProducerConfig(
                maxBatchMessages,
                maxBatchBytes,
                linger,
                maxBufferedMessages,
                maxBufferedBytes,
                maxBlock,
                delivery,
                compression,
                partitionCheckInterval,
                closing);
    }

    /** With another interval of looking at the topic. */
    public ProducerConfig withPartitionCheckInterval(Duration interval) {
        return new ProducerConfig(
                maxBatchMessages,
                maxBatchBytes,
                linger,
                maxBufferedMessages,
                maxBufferedBytes,
                maxBlock,
                deliveryTimeout,
                compression,
                interval,
                closeTimeout);
    }
}
