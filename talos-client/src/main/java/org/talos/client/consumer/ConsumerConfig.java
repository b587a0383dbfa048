// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The configuration of a {@link TalosConsumer}: fetches, start, commits, times. Heartbeats and locks have by default
 * the protocol's times, which the other SDKs use too. Immutable.
 *
 * @param maxFetchMessages most messages of one call of the processor; a few more may come, as messages that were put
 *     together are not split
 * @param maxFetchBytes most bytes of one fetch, as they are stored
 * @param start where to start in partitions in which the group has committed nothing
 * @param ignoreCommitted whether to start there even if the group has committed: once in each partition, unless another
 *     member has been seen to read it
 * @param outOfRange where to go on when the messages at the group's offset have expired; not a time
 * @param autoCommit whether messages are committed after the processor has returned; otherwise the program commits by
 *     its {@link Checkpoint}
 * @param commitInterval how often to commit, if there is anything
 * @param commitMessages number of processed messages after which to commit at the latest
 * @param failurePause pause before a processor that threw gets the same messages again
 * @param times intervals of the group protocol
 * @param closeTimeout how long {@code close} waits for processors to finish
 */
public record ConsumerConfig(
        int maxFetchMessages,
        int maxFetchBytes,
        StartPosition start,
        boolean ignoreCommitted,
        StartPosition outOfRange,
        boolean autoCommit,
        Duration commitInterval,
        int commitMessages,
        Duration failurePause,
        GroupTimes times,
        Duration closeTimeout) {

    /**
     * The intervals of the group protocol. Immutable.
     *
     * @param balance interval between polls of the group's members, in a group of up to a hundred: it takes so long
     *     until a partition that a member leaves is read by another. Larger groups poll in proportion more seldom
     * @param renew interval between heartbeats, which renew the locks
     * @param lockTtl time after which locks that were not renewed expire: the server's setting
     *     {@code service.workerTtl}
     * @param topicCheck interval between look-ups of the topic
     */
    public record GroupTimes(Duration balance, Duration renew, Duration lockTtl, Duration topicCheck) {
        /** Refuses values out of range. */
        public GroupTimes {
            positive("balance", balance);
            positive("renew", renew);
            positive("topicCheck", topicCheck);
            if (lockTtl.compareTo(renew.multipliedBy(2)) < 0) {
                throw new IllegalArgumentException("lockTtl: " + lockTtl + " (expected: twice renew or longer)");
            }
        }
    }

    /** Refuses values out of range. */
    public ConsumerConfig {
        if (maxFetchMessages < 1 || maxFetchBytes < 1 || commitMessages < 1) {
            throw new IllegalArgumentException("maxFetchMessages, maxFetchBytes, commitMessages: 1 or more");
        }
        if (outOfRange.time().isPresent()) {
            throw new IllegalArgumentException("outOfRange: a time (expected: earliest or latest)");
        }
        positive("commitInterval", commitInterval);
        positive("failurePause", failurePause);
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: longer than 0)");
        }
    }

    /** The defaults: 1,000 messages or 2 MiB a fetch, from the earliest on, committed every 5 s or 10,000 messages. */
    public static ConsumerConfig defaults() {
        return new ConsumerConfig(
                1_000,
                2 << 20,
                StartPosition.EARLIEST,
                false,
                StartPosition.EARLIEST,
                true,
                Duration.ofSeconds(5),
                10_000,
                Duration.ofSeconds(1),
                new GroupTimes(
                        Duration.ofMillis(500), Duration.ofSeconds(7), Duration.ofSeconds(30), Duration.ofSeconds(60)),
                Duration.ofSeconds(30));
    }

    private ConsumerConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.finish();
    }

    /** This configuration with other bounds of a fetch. */
    public ConsumerConfig withFetch(int messages, int bytes) {
        return with(draft -> {
            draft.maxFetchMessages = messages;
            draft.maxFetchBytes = bytes;
        });
    }

    /** This configuration with another start where nothing is committed. */
    public ConsumerConfig withStart(StartPosition position) {
        return with(draft -> {
            draft.start = position;
            draft.ignoreCommitted = false;
        });
    }

    /**
     * This configuration with another start, whatever is committed. The member goes there once in each partition, and
     * not in those that another member reads when it joins: what the group reads from there on is not read again.
     */
    public ConsumerConfig withReset(StartPosition position) {
        return with(draft -> {
            draft.start = position;
            draft.ignoreCommitted = true;
        });
    }

    /** This configuration with automatic commits at other intervals. */
    public ConsumerConfig withCommit(Duration interval, int messages) {
        return with(draft -> {
            draft.autoCommit = true;
            draft.commitInterval = interval;
            draft.commitMessages = messages;
        });
    }

    /** This configuration without automatic commits: the program commits by its {@link Checkpoint}. */
    public ConsumerConfig withCommitByHand() {
        return with(draft -> draft.autoCommit = false);
    }

    /** This configuration with other intervals of the group protocol. All members should have the same. */
    public ConsumerConfig withTimes(GroupTimes of) {
        return with(draft -> draft.times = of);
    }

    /** This configuration with another pause after failures and another time-out of {@code close}. */
    public ConsumerConfig withPauses(Duration failure, Duration closing) {
        return with(draft -> {
            draft.failurePause = failure;
            draft.closeTimeout = closing;
        });
    }

    /** The components of a changed copy. Confined: the method that makes it. */
    private static final class Draft {
        private int maxFetchMessages;
        private int maxFetchBytes;
        private StartPosition start;
        private boolean ignoreCommitted;
        private StartPosition outOfRange;
        private boolean autoCommit;
        private Duration commitInterval;
        private int commitMessages;
        private Duration failurePause;
        private GroupTimes times;
        private Duration closeTimeout;

        Draft(ConsumerConfig from) {
            maxFetchMessages = from.maxFetchMessages;
            maxFetchBytes = from.maxFetchBytes;
            start = from.start;
            ignoreCommitted = from.ignoreCommitted;
            outOfRange = from.outOfRange;
            autoCommit = from.autoCommit;
            commitInterval = from.commitInterval;
            commitMessages = from.commitMessages;
            failurePause = from.failurePause;
            times = from.times;
            closeTimeout = from.closeTimeout;
        }

        ConsumerConfig finish() {
            return new ConsumerConfig(
                    maxFetchMessages,
                    maxFetchBytes,
                    start,
                    ignoreCommitted,
                    outOfRange,
                    autoCommit,
                    commitInterval,
                    commitMessages,
                    failurePause,
                    times,
                    closeTimeout);
        }
    }
}
