// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.function.Predicate;
import org.talos.client.LongestWait;
import org.talos.client.UnreadableBlockException;

/**
 * The options of a {@link TalosConsumer} or {@link PollingConsumer}: fetches, start, commits, and times. The defaults
 * of the group's times are those of the protocol, which the other SDKs use too.
 *
 * <p>Immutable.
 */
public final class ConsumerConfig {
    private final Options options; // never changes: no builder has it

    private ConsumerConfig(Options options) {
        this.options = options;
    }

    /** Returns the defaults. */
    public static ConsumerConfig defaults() {
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

    /** Returns the value of {@link Builder#maxFetchMessages}. */
    public int maxFetchMessages() {
        return options.maxFetchMessages;
    }

    /** Returns the value of {@link Builder#maxFetchBytes}. */
    public int maxFetchBytes() {
        return options.maxFetchBytes;
    }

    /** Returns the value of {@link Builder#maxAheadBytes}. */
    public int maxAheadBytes() {
        return options.maxAheadBytes;
    }

    /** Returns the value of {@link Builder#start}. */
    public StartPosition start() {
        return options.start;
    }

    /** Returns the value of {@link Builder#ignoreCommitted}. */
    public boolean ignoreCommitted() {
        return options.ignoreCommitted;
    }

    /** Returns the value of {@link Builder#outOfRange}. */
    public StartPosition outOfRange() {
        return options.outOfRange;
    }

    /** Returns the value of {@link Builder#autoCommit}. */
    public boolean autoCommit() {
        return options.autoCommit;
    }

    /** Returns the value of {@link Builder#commitInterval}. */
    public Duration commitInterval() {
        return options.commitInterval;
    }

    /** Returns the value of {@link Builder#commitMessages}. */
    public int commitMessages() {
        return options.commitMessages;
    }

    /** Returns the value of {@link Builder#failurePause}. */
    public Duration failurePause() {
        return options.failurePause;
    }

    /** Returns the value of {@link Builder#skipUnreadable}. */
    public Predicate<UnreadableBlockException> skipUnreadable() {
        return options.skipUnreadable;
    }

    /** Returns the value of {@link Builder#balanceInterval}. */
    public Duration balanceInterval() {
        return options.balanceInterval;
    }

    /** Returns the value of {@link Builder#renewInterval}. */
    public Duration renewInterval() {
        return options.renewInterval;
    }

    /** Returns the value of {@link Builder#lockTtl}. */
    public Duration lockTtl() {
        return options.lockTtl;
    }

    /** Returns the value of {@link Builder#topicCheckInterval}. */
    public Duration topicCheckInterval() {
        return options.topicCheckInterval;
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

        /**
         * Sets the most messages of one call of the processor: 1 or more, by default 1,000. A few more may come, as
         * messages that were put together are not split.
         */
        public Builder maxFetchMessages(int value) {
            options.maxFetchMessages = value;
            return this;
        }

        /** Sets the most bytes of one fetch, as they are stored: 1 or more, by default 2 MiB. */
        public Builder maxFetchBytes(int value) {
            options.maxFetchBytes = value;
            return this;
        }

        /**
         * Sets the most bytes that are fetched while earlier messages are processed, as they are stored, over all
         * partitions of the consumer: 0 or more, by default 32 MiB. Each fetch counts as {@link #maxFetchBytes}. With
         * less than that, nothing is fetched before it is wanted.
         */
        public Builder maxAheadBytes(int value) {
            options.maxAheadBytes = value;
            return this;
        }

        /**
         * Sets where to start in partitions in which the group has committed nothing: by default
         * {@link StartPosition#EARLIEST}.
         */
        public Builder start(StartPosition value) {
            options.start = value;
            return this;
        }

        /**
         * Sets whether to begin at {@link #start} even if the group has committed offsets: by default false. The member
         * does so once in each partition, except in partitions that another member reads when it joins. Messages that
         * the group reads from there on are not read again.
         */
        public Builder ignoreCommitted(boolean value) {
            options.ignoreCommitted = value;
            return this;
        }

        /**
         * Sets where to continue when the messages at the group's offset have expired: {@link StartPosition#EARLIEST},
         * the default, or {@link StartPosition#LATEST}.
         */
        public Builder outOfRange(StartPosition value) {
            options.outOfRange = value;
            return this;
        }

        /**
         * Sets whether messages are committed after the processor has returned: by default true. Otherwise the program
         * commits by its {@link Checkpoint}.
         */
        public Builder autoCommit(boolean value) {
            options.autoCommit = value;
            return this;
        }

        /** Sets the interval between commits, if there is anything to commit: longer than 0, by default 5 s. */
        public Builder commitInterval(Duration value) {
            options.commitInterval = LongestWait.orShorter(value);
            return this;
        }

        /** Sets the number of processed messages after which to commit at the latest: 1 or more, by default 10,000. */
        public Builder commitMessages(int value) {
            options.commitMessages = value;
            return this;
        }

        /** Sets the pause before a processor that threw gets the same messages again: longer than 0, by default 1 s. */
        public Builder failurePause(Duration value) {
            options.failurePause = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets the decision about a block that cannot be read, when it has the next messages of a partition. If true,
         * reading continues behind the block, and its messages count as processed. If false, the default, or if it
         * throws, the partition is tried and the decision is asked for again after a pause of up to 30 s. Called by the
         * partitions' threads, several at once.
         */
        public Builder skipUnreadable(Predicate<UnreadableBlockException> value) {
            options.skipUnreadable = value;
            return this;
        }

        /**
         * Sets the interval between polls of the group's members, in a group of up to ten: longer than 0, by default
         * 0.5 s. The other SDKs poll every 10 s. A partition that a member leaves is read by another member after this
         * time. Members of larger groups poll less often: every 5 s in a group of a hundred, and still less often with
         * more than a thousand members or several topics.
         */
        public Builder balanceInterval(Duration value) {
            options.balanceInterval = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets the interval between heartbeats, which renew the locks: longer than 0, by default 7 s as in all SDKs.
         */
        public Builder renewInterval(Duration value) {
            options.renewInterval = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Sets the time after which locks that were not renewed expire, the server's setting {@code service.memberTtl}:
         * twice {@link #renewInterval} or longer, by default 30 s.
         */
        public Builder lockTtl(Duration value) {
            options.lockTtl = LongestWait.orShorter(value);
            return this;
        }

        /** Sets the interval between look-ups of the topics and their partitions: longer than 0, by default 60 s. */
        public Builder topicCheckInterval(Duration value) {
            options.topicCheckInterval = LongestWait.orShorter(value);
            return this;
        }

        /** Sets how long {@code close} waits for processors to finish: 0 or longer, by default 30 s. */
        public Builder closeTimeout(Duration value) {
            options.closeTimeout = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Returns the configuration.
         *
         * @throws IllegalArgumentException an option is out of range
         */
        public ConsumerConfig build() {
            Options set = options.copy();
            set.check();
            return new ConsumerConfig(set);
        }
    }

    /**
     * The values of the options, at first the defaults.
     *
     * <p>Confined: the builder. Those of a configuration no longer change.
     */
    private static final class Options implements Cloneable {
        private int maxFetchMessages = 1_000;
        private int maxFetchBytes = 2 << 20;
        private int maxAheadBytes = 32 << 20;
        private StartPosition start = StartPosition.EARLIEST;
        private boolean ignoreCommitted = false;
        private StartPosition outOfRange = StartPosition.EARLIEST;
        private boolean autoCommit = true;
        private Duration commitInterval = Duration.ofSeconds(5);
        private int commitMessages = 10_000;
        private Duration failurePause = Duration.ofSeconds(1);
        private Predicate<UnreadableBlockException> skipUnreadable = block -> false;
        private Duration balanceInterval = Duration.ofMillis(500);
        private Duration renewInterval = Duration.ofSeconds(7);
        private Duration lockTtl = Duration.ofSeconds(30);
        private Duration topicCheckInterval = Duration.ofSeconds(60);
        private Duration closeTimeout = Duration.ofSeconds(30);

        private Options copy() {
            try {
                return (Options) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e); // the class is Cloneable
            }
        }

        private void check() {
            if (maxFetchMessages < 1 || maxFetchBytes < 1 || commitMessages < 1) {
                throw new IllegalArgumentException("maxFetchMessages, maxFetchBytes, commitMessages: 1 or more");
            }
            if (maxAheadBytes < 0) {
                throw new IllegalArgumentException("maxAheadBytes: " + maxAheadBytes + " (expected: 0 or more)");
            }
            if (outOfRange.time().isPresent()) {
                throw new IllegalArgumentException("outOfRange: a time (expected: earliest or latest)");
            }
            positive("commitInterval", commitInterval);
            positive("failurePause", failurePause);
            positive("balanceInterval", balanceInterval);
            positive("renewInterval", renewInterval);
            positive("topicCheckInterval", topicCheckInterval);
            if (lockTtl.compareTo(renewInterval.multipliedBy(2)) < 0) {
                throw new IllegalArgumentException(
                        "lockTtl: " + lockTtl + " (expected: twice renewInterval or longer)");
            }
            if (closeTimeout.isNegative()) {
                throw new IllegalArgumentException("closeTimeout: " + closeTimeout + " (expected: 0 or longer)");
            }
        }
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: longer than 0)");
        }
    }
}
