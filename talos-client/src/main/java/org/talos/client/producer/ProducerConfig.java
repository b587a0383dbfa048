// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import org.talos.client.LongestWait;

/**
 * The options of a {@link TalosProducer}: batches, buffer, times. A time of more than 50 years is one of 50 years.
 *
 * <p>Immutable.
 */
public final class ProducerConfig {
    private static final int MOST_BATCH_MESSAGES = 5_000;
    private static final int MOST_BATCH_BYTES = 10 << 20;

    private final int maxBatchMessages;
    private final int maxBatchBytes;
    private final Duration linger;
    private final int maxBufferedMessages;
    private final long maxBufferedBytes;
    private final Duration maxBlock;
    private final Duration deliveryTimeout;
    private final Compression compression;
    private final Duration partitionCheckInterval;
    private final Duration closeTimeout;

    private ProducerConfig(Builder from) {
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

    /** The defaults. */
    public static ProducerConfig defaults() {
        return builder().build();
    }

    /** A builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder with the options of this configuration. */
    public Builder toBuilder() {
        Builder copy = new Builder();
        copy.maxBatchMessages = maxBatchMessages;
        copy.maxBatchBytes = maxBatchBytes;
        copy.linger = linger;
        copy.maxBufferedMessages = maxBufferedMessages;
        copy.maxBufferedBytes = maxBufferedBytes;
        copy.maxBlock = maxBlock;
        copy.deliveryTimeout = deliveryTimeout;
        copy.compression = compression;
        copy.partitionCheckInterval = partitionCheckInterval;
        copy.closeTimeout = closeTimeout;
        return copy;
    }

    /** Most messages of one put. */
    public int maxBatchMessages() {
        return maxBatchMessages;
    }

    /** Most bytes of one put, before compression. */
    public int maxBatchBytes() {
        return maxBatchBytes;
    }

    /** Returns how long a message waits for others while no put of its partition is in flight. */
    public Duration linger() {
        return linger;
    }

    /** Most messages that are accepted and not completed, over all partitions. */
    public int maxBufferedMessages() {
        return maxBufferedMessages;
    }

    /** Most bytes of the heap that those messages take, and the puts in flight. */
    public long maxBufferedBytes() {
        return maxBufferedBytes;
    }

    /** Returns how long {@code send} waits for room in the buffer. */
    public Duration maxBlock() {
        return maxBlock;
    }

    /** Time from {@code send} until the message fails. */
    public Duration deliveryTimeout() {
        return deliveryTimeout;
    }

    /** Compression of the puts. */
    public Compression compression() {
        return compression;
    }

    /** Returns how often the topic's number of partitions is looked up. */
    public Duration partitionCheckInterval() {
        return partitionCheckInterval;
    }

    /** Returns how long {@code close()} waits for messages that are buffered or in flight. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** Sets the options of a configuration. Confined: the caller. */
    public static final class Builder {
        private int maxBatchMessages = 2_000;
        private int maxBatchBytes = 1 << 20;
        private Duration linger = Duration.ofMillis(5);
        private int maxBufferedMessages = 1_000_000;
        private long maxBufferedBytes = 128L << 20;
        private Duration maxBlock = Duration.ofSeconds(60);
        private Duration deliveryTimeout = Duration.ofMinutes(2);
        private Compression compression = Compression.SNAPPY;
        private Duration partitionCheckInterval = Duration.ofMinutes(3);
        private Duration closeTimeout = Duration.ofSeconds(30);

        private Builder() {}

        /** Most messages of one put, 1 to 5,000; 2,000 by default. */
        public Builder maxBatchMessages(int value) {
            maxBatchMessages = value;
            return this;
        }

        /**
         * Most bytes of one put, before compression, 1 to 10 MiB; 1 MiB by default. A larger message is a put of its
         * own.
         */
        public Builder maxBatchBytes(int value) {
            maxBatchBytes = value;
            return this;
        }

        /**
         * Sets how long a message waits for others while no put of its partition is in flight; 5 ms by default, zero
         * sends at once.
         */
        public Builder linger(Duration value) {
            linger = LongestWait.orShorter(value);
            return this;
        }

        /** Most messages that are accepted and not completed, over all partitions, 1 or more; 1,000,000 by default. */
        public Builder maxBufferedMessages(int value) {
            maxBufferedMessages = value;
            return this;
        }

        /**
         * Most bytes of the heap that those messages take with all their objects, and the puts in flight as they are
         * sent; 1 or more, 128 MiB by default. A message of 10 bytes takes about 130.
         */
        public Builder maxBufferedBytes(long value) {
            maxBufferedBytes = value;
            return this;
        }

        /** Sets how long {@code send} waits for room in the buffer; 60 s by default, zero fails at once. */
        public Builder maxBlock(Duration value) {
            maxBlock = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Time from {@code send} until the message fails; longer than 0, 2 minutes by default. It must be shorter than
         * the server's dedupe window (10 minutes by default), or a repetition could be stored twice. Messages of one
         * put fail together, so a message may take a twentieth longer. One that had no chance to be sent fails 0.1 s
         * earlier, as never sent.
         */
        public Builder deliveryTimeout(Duration value) {
            deliveryTimeout = LongestWait.orShorter(value);
            return this;
        }

        /** Compression of the puts; {@link Compression#SNAPPY} by default. */
        public Builder compression(Compression value) {
            compression = value;
            return this;
        }

        /** Sets how often the topic's number of partitions is looked up; longer than 0, 3 minutes by default. */
        public Builder partitionCheckInterval(Duration value) {
            partitionCheckInterval = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets how long {@code close()} waits for messages that are buffered or in flight; 0 or longer, 30 s by
         * default.
         */
        public Builder closeTimeout(Duration value) {
            closeTimeout = LongestWait.orShorter(value);
            return this;
        }

        /**
         * The configuration.
         *
         * @throws IllegalArgumentException an option is out of range
         */
        public ProducerConfig build() {
            inRange("maxBatchMessages", maxBatchMessages, MOST_BATCH_MESSAGES);
            inRange("maxBatchBytes", maxBatchBytes, MOST_BATCH_BYTES);
            inRange("maxBufferedMessages", maxBufferedMessages, Integer.MAX_VALUE);
            inRange("maxBufferedBytes", maxBufferedBytes, Long.MAX_VALUE);
            notNegative("linger", linger);
            notNegative("maxBlock", maxBlock);
            positive("deliveryTimeout", deliveryTimeout);
            positive("partitionCheckInterval", partitionCheckInterval);
            notNegative("closeTimeout", closeTimeout);
            return new ProducerConfig(this);
        }
    }

    private static void inRange(String name, long value, long most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1.." + most + ")");
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: longer than 0)");
        }
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or longer)");
        }
    }
}
