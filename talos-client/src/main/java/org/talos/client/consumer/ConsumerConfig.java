// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.function.Predicate;
import org.talos.client.LongestWait;
import org.talos.client.UnreadableBlockException;

/**
 * The options of a {@link TalosConsumer} or {@link PollingConsumer}: fetches, start, commits, times. The times of the
 * group are by default those of the protocol, which the other SDKs use too.
 *
 * <p>Immutable.
 */
public final class ConsumerConfig {
    private final int maxFetchMessages;
    private final int maxFetchBytes;
    private final int maxAheadBytes;
    private final StartPosition start;
    private final boolean ignoreCommitted;
    private final StartPosition outOfRange;
    private final boolean autoCommit;
    private final Duration commitInterval;
    private final int commitMessages;
    private final Duration failurePause;
    private final Predicate<UnreadableBlockException> skipUnreadable;
    private final Duration balanceInterval;
    private final Duration renewInterval;
    private final Duration lockTtl;
    private final Duration topicCheckInterval;
    private final Duration closeTimeout;

    private ConsumerConfig(Builder from) {
        maxFetchMessages = from.maxFetchMessages;
        maxFetchBytes = from.maxFetchBytes;
        maxAheadBytes = from.maxAheadBytes;
        start = from.start;
        ignoreCommitted = from.ignoreCommitted;
        outOfRange = from.outOfRange;
        autoCommit = from.autoCommit;
        commitInterval = from.commitInterval;
        commitMessages = from.commitMessages;
        failurePause = from.failurePause;
        skipUnreadable = from.skipUnreadable;
        balanceInterval = from.balanceInterval;
        renewInterval = from.renewInterval;
        lockTtl = from.lockTtl;
        topicCheckInterval = from.topicCheckInterval;
        closeTimeout = from.closeTimeout;
    }

    /** The defaults. */
    public static ConsumerConfig defaults() {
        return builder().build();
    }

    /** A builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder with the options of this configuration. */
    public Builder toBuilder() {
        Builder copy = new Builder();
        copy.maxFetchMessages = maxFetchMessages;
        copy.maxFetchBytes = maxFetchBytes;
        copy.maxAheadBytes = maxAheadBytes;
        copy.start = start;
        copy.ignoreCommitted = ignoreCommitted;
        copy.outOfRange = outOfRange;
        copy.autoCommit = autoCommit;
        copy.commitInterval = commitInterval;
        copy.commitMessages = commitMessages;
        copy.failurePause = failurePause;
        copy.skipUnreadable = skipUnreadable;
        copy.balanceInterval = balanceInterval;
        copy.renewInterval = renewInterval;
        copy.lockTtl = lockTtl;
        copy.topicCheckInterval = topicCheckInterval;
        copy.closeTimeout = closeTimeout;
        return copy;
    }

    /** Most messages of one call of the processor. */
    public int maxFetchMessages() {
        return maxFetchMessages;
    }

    /** Most bytes of one fetch, as they are stored. */
    public int maxFetchBytes() {
        return maxFetchBytes;
    }

    /** Most bytes that are fetched before they are wanted, as they are stored, over all partitions. */
    public int maxAheadBytes() {
        return maxAheadBytes;
    }

    /** Returns where to start in partitions in which the group has committed nothing. */
    public StartPosition start() {
        return start;
    }

    /** Returns whether to start there even if the group has committed. */
    public boolean ignoreCommitted() {
        return ignoreCommitted;
    }

    /** Returns where to continue when the messages at the group's offset have expired. */
    public StartPosition outOfRange() {
        return outOfRange;
    }

    /** Returns whether messages are committed after the processor has returned. */
    public boolean autoCommit() {
        return autoCommit;
    }

    /** Returns how often to commit, if there is anything. */
    public Duration commitInterval() {
        return commitInterval;
    }

    /** Number of processed messages after which to commit at the latest. */
    public int commitMessages() {
        return commitMessages;
    }

    /** Pause before a processor that threw gets the same messages again. */
    public Duration failurePause() {
        return failurePause;
    }

    /** Returns whether a block that cannot be read is left out. */
    public Predicate<UnreadableBlockException> skipUnreadable() {
        return skipUnreadable;
    }

    /** Interval between polls of the group's members. */
    public Duration balanceInterval() {
        return balanceInterval;
    }

    /** Interval between heartbeats, which renew the locks. */
    public Duration renewInterval() {
        return renewInterval;
    }

    /** Time after which locks that were not renewed expire. */
    public Duration lockTtl() {
        return lockTtl;
    }

    /** Interval between look-ups of the topics. */
    public Duration topicCheckInterval() {
        return topicCheckInterval;
    }

    /** Returns how long {@code close} waits for processors to finish. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** Sets the options of a configuration. Confined: the caller. */
    public static final class Builder {
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

        private Builder() {}

        /**
         * Most messages of one call of the processor, 1 or more; 1,000 by default. A few more may come, as messages
         * that were put together are not split.
         */
        public Builder maxFetchMessages(int value) {
            maxFetchMessages = value;
            return this;
        }

        /** Most bytes of one fetch, as they are stored, 1 or more; 2 MiB by default. */
        public Builder maxFetchBytes(int value) {
            maxFetchBytes = value;
            return this;
        }

        /**
         * Most bytes that are fetched while those before are processed, as they are stored, over all partitions of the
         * consumer, 0 or more; 32 MiB by default. Each fetch counts as {@link #maxFetchBytes}; with less than one of
         * them, nothing is fetched before it is wanted.
         */
        public Builder maxAheadBytes(int value) {
            maxAheadBytes = value;
            return this;
        }

        /**
         * Sets where to start in partitions in which the group has committed nothing; {@link StartPosition#EARLIEST} by
         * default.
         */
        public Builder start(StartPosition value) {
            start = value;
            return this;
        }

        /**
         * Sets whether to start there even if the group has committed; false by default. The member goes there once in
         * each partition, and not in those that another member reads when it joins: what the group reads from there on
         * is not read again.
         */
        public Builder ignoreCommitted(boolean value) {
            ignoreCommitted = value;
            return this;
        }

        /**
         * Sets where to continue when the messages at the group's offset have expired: {@link StartPosition#EARLIEST},
         * the default, or {@link StartPosition#LATEST}.
         */
        public Builder outOfRange(StartPosition value) {
            outOfRange = value;
            return this;
        }

        /**
         * Sets whether messages are committed after the processor has returned; true by default. Otherwise the program
         * commits by its {@link Checkpoint}.
         */
        public Builder autoCommit(boolean value) {
            autoCommit = value;
            return this;
        }

        /** Sets how often to commit, if there is anything; longer than 0, 5 s by default. */
        public Builder commitInterval(Duration value) {
            commitInterval = LongestWait.orShorter(value);
            return this;
        }

        /** Number of processed messages after which to commit at the latest, 1 or more; 10,000 by default. */
        public Builder commitMessages(int value) {
            commitMessages = value;
            return this;
        }

        /** Pause before a processor that threw gets the same messages again; longer than 0, 1 s by default. */
        public Builder failurePause(Duration value) {
            failurePause = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Asked when the next messages of a partition are in a block that cannot be read: if true, reading continues
         * behind the block, and its messages count as processed. If false, as by default, or if it throws, the
         * partition is tried, and this asked, again after a pause of up to 30 s. Called by the partitions' threads,
         * several at once.
         */
        public Builder skipUnreadable(Predicate<UnreadableBlockException> value) {
            skipUnreadable = value;
            return this;
        }

        /**
         * Interval between polls of the group's members, in a group of up to ten: it takes so long until a partition
         * that a member leaves is read by another. Members of larger groups poll more seldom: every 5 s in a group of a
         * hundred, and still less often with more than a thousand members or several topics. Longer than 0, 0.5 s by
         * default; the other SDKs poll every 10 s.
         */
        public Builder balanceInterval(Duration value) {
            balanceInterval = LongestWait.orShorter(value);
            return this;
        }

        /** Interval between heartbeats, which renew the locks; longer than 0, 7 s by default as in all SDKs. */
        public Builder renewInterval(Duration value) {
            renewInterval = LongestWait.orShorter(value);
            return this;
        }

        /**
         * Time after which locks that were not renewed expire: the server's setting {@code service.memberTtl}; twice
         * {@link #renewInterval} or longer, 30 s by default.
         */
        public Builder lockTtl(Duration value) {
            lockTtl = LongestWait.orShorter(value);
            return this;
        }

        /** Interval between look-ups of the topics and their partitions; longer than 0, 60 s by default. */
        public Builder topicCheckInterval(Duration value) {
            topicCheckInterval = LongestWait.orShorter(value);
            return this;
        }

        /** Sets how long {@code close} waits for processors to finish; 0 or longer, 30 s by default. */
        public Builder closeTimeout(Duration value) {
            closeTimeout = LongestWait.orShorter(value);
            return this;
        }

        /**
         * The configuration.
         *
         * @throws IllegalArgumentException an option is out of range
         */
        public ConsumerConfig build() {
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
            return new ConsumerConfig(this);
        }
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: longer than 0)");
        }
    }
}
