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

    private final Options options; // never changes: no builder has it

    private ProducerConfig(Options options) {
        this.options = options;
    }

    /** Returns the defaults. */
    public static ProducerConfig defaults() {
        return builder().build();
    }

    /** Returns a builder with the defaults. */
    public static Builder builder() {
        return new Builder(new Options());
    }

    /** Returns a builder with the options of this configuration. */
    public Builder toBuilder() {
        return new Builder(options.copy());
    }

    /** Returns the value of {@link Builder#maxBatchMessages}. */
    public int maxBatchMessages() {
        return options.maxBatchMessages;
    }

    /** Returns the value of {@link Builder#maxBatchBytes}. */
    public int maxBatchBytes() {
        return options.maxBatchBytes;
    }

    /** Returns the value of {@link Builder#linger}. */
    public Duration linger() {
        return options.linger;
    }

    /** Returns the value of {@link Builder#maxBufferedMessages}. */
    public int maxBufferedMessages() {
        return options.maxBufferedMessages;
    }

    /** Returns the value of {@link Builder#maxBufferedBytes}. */
    public long maxBufferedBytes() {
        return options.maxBufferedBytes;
    }

    /** Returns the value of {@link Builder#maxBlock}. */
    public Duration maxBlock() {
        return options.maxBlock;
    }

    /** Returns the value of {@link Builder#deliveryTimeout}. */
    public Duration deliveryTimeout() {
        return options.deliveryTimeout;
    }

    /** Returns the value of {@link Builder#compression}. */
    public Compression compression() {
        return options.compression;
    }

    /** Returns the value of {@link Builder#partitionCheckInterval}. */
    public Duration partitionCheckInterval() {
        return options.partitionCheckInterval;
    }

    /** Returns the value of {@link Builder#closeTimeout}. */
    public Duration closeTimeout() {
        return options.closeTimeout;
    }

    /**
     * Sets the options of a configuration. Each method states the default and the range of its option.
     *
     * <p>Confined: the caller.
     */
    public static final class Builder {
        private final Options options;

        private Builder(Options options) {
            this.options = options;
        }

        /** Sets the most messages of one put: 1 to 5,000, by default 2,000. */
        public Builder maxBatchMessages(int value) {
            options.maxBatchMessages = value;
            return this;
        }

        /**
         * Sets the most bytes of one put, before compression: 1 to 10 MiB, by default 1 MiB. A larger message is a put
         * of its own.
         */
        public Builder maxBatchBytes(int value) {
            options.maxBatchBytes = value;
            return this;
        }

        /**
         * Sets how long a message waits for others while no put of its partition is in flight: 0 or longer, by default
         * 5 ms. With zero, it is sent at once.
         */
        public Builder linger(Duration value) {
            options.linger = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets the most messages that are accepted and not completed, over all partitions: 1 or more, by default
         * 1,000,000.
         */
        public Builder maxBufferedMessages(int value) {
            options.maxBufferedMessages = value;
            return this;
        }

        /**
         * Sets the most bytes of the heap that those messages take with all their objects, plus the puts in flight as
         * they are sent: 1 or more, by default 128 MiB. A message of 10 bytes takes about 130.
         */
        public Builder maxBufferedBytes(long value) {
            options.maxBufferedBytes = value;
            return this;
        }

        /**
         * Sets how long {@code send} waits for room in the buffer: 0 or longer, by default 60 s. With zero, it fails at
         * once.
         */
        public Builder maxBlock(Duration value) {
            options.maxBlock = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets the time from {@code send} until the message fails: longer than 0, by default 2 minutes. It must be
         * shorter than the server's dedupe window (10 minutes by default), or a repetition could be stored twice.
         * Messages of one put fail together, so a message may take a twentieth longer. A message that had no chance to
         * be sent fails 0.1 s earlier, as never sent.
         */
        public Builder deliveryTimeout(Duration value) {
            options.deliveryTimeout = LongestWait.orShorter(value);
            return this;
        }

        /** Sets the compression of the puts: by default {@link Compression#SNAPPY}. */
        public Builder compression(Compression value) {
            options.compression = value;
            return this;
        }

        /**
         * Sets the interval between look-ups of the topic's number of partitions: longer than 0, by default 3 minutes.
         */
        public Builder partitionCheckInterval(Duration value) {
            options.partitionCheckInterval = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets how long {@code close()} waits for messages that are buffered or in flight: 0 or longer, by default 30
         * s.
         */
        public Builder closeTimeout(Duration value) {
            options.closeTimeout = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Returns the configuration.
         *
         * @throws IllegalArgumentException an option is out of range
         */
        public ProducerConfig build() {
            Options set = options.copy();
            set.check();
            return new ProducerConfig(set);
        }
    }

    /**
     * The values of the options, at first the defaults.
     *
     * <p>Confined: the builder. Those of a configuration no longer change.
     */
    private static final class Options implements Cloneable {
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

        private Options copy() {
            try {
                return (Options) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e); // the class is Cloneable
            }
        }

        private void check() {
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
