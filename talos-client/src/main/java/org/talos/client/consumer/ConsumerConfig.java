// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;

/**
 * How a {@link TalosConsumer} reads and commits. The times of the group are the protocol's defaults, which the other
 * SDKs' consumers of the same group keep too. Immutable.
 *
 * @param maxFetchMessages of one call of the processor; a few more may come, as messages that were put together come
 *     together
 * @param maxFetchBytes of one fetch, as it is stored
 * @param start where partitions begin of which the group has committed nothing
 * @param ignoreCommitted whether they begin there also if it has
 * @param outOfRange where to go on when the messages at the group's place are gone by retention; no time
 * @param autoCommit whether what the processor has returned from is committed; otherwise the program does it by its
 *     {@link Checkpoint}
 * @param commitInterval how often, when there is something to commit
 * @param commitMessages after how many messages at the latest
 * @param failurePause before messages are given again to a processor that threw
 * @param times of the group
 * @param closeTimeout how long {@code close} waits for processors
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
     * What members of a group do how often. Immutable.
     *
     * @param balance looking who is there
     * @param renew saying that one is there
     * @param lockTtl after which the server gives away what was not renewed: its setting {@code service.workerTtl}
     * @param topicCheck looking whether the topic has changed
     */
    public record GroupTimes(Duration balance, Duration renew, Duration lockTtl, Duration topicCheck) {
        /** Checks it. */
        public GroupTimes {
            positive("balance", balance);
            positive("renew", renew);
            positive("topicCheck", topicCheck);
            if (lockTtl.compareTo(renew.multipliedBy(2)) < 0) {
                throw new IllegalArgumentException("lockTtl: " + lockTtl + " (expected: twice renew or longer)");
            }
        }
    }

    /** Checks it. */
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

    /** 1,000 messages or 2 MiB a fetch, from the earliest on, committed every 5 s or 10,000 messages. */
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
                        Duration.ofSeconds(10), Duration.ofSeconds(7), Duration.ofSeconds(30), Duration.ofSeconds(60)),
                Duration.ofSeconds(30));
    }

    /** With other bounds of a fetch. */
    public ConsumerConfig withFetch(int messages, int bytes) {
        return new ConsumerConfig(
                messages,
                bytes,
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

    /** Beginning elsewhere where nothing is committed. */
    public ConsumerConfig withStart(StartPosition position) {
        return withStart(position, false);
    }

    /** Beginning elsewhere, whatever is committed. */
    public ConsumerConfig withReset(StartPosition position) {
        return withStart(position, true);
    }

    private ConsumerConfig withStart(StartPosition position, boolean always) {
        return new ConsumerConfig(
                maxFetchMessages,
                maxFetchBytes,
                position,
                always,
                outOfRange,
                autoCommit,
                commitInterval,
                commitMessages,
                failurePause,
                times,
                closeTimeout);
    }

    /** Committing at other times. */
    public ConsumerConfig withCommit(Duration interval, int messages) {
        return new ConsumerConfig(
                maxFetchMessages,
                maxFetchBytes,
                start,
                ignoreCommitted,
                outOfRange,
                true,
                interval,
                messages,
                failurePause,
                times,
                closeTimeout);
    }

    /** Committing only what the program commits by its {@link Checkpoint}. */
    public ConsumerConfig withCommitByHand() {
        return new ConsumerConfig(
                maxFetchMessages,
                maxFetchBytes,
                start,
                ignoreCommitted,
                outOfRange,
                false,
                commitInterval,
                commitMessages,
                failurePause,
                times,
                closeTimeout);
    }

    /** With other times of the group. All members should have the same. */
    public ConsumerConfig withTimes(GroupTimes of) {
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
                of,
                closeTimeout);
    }

    /** With other pauses. */
    public ConsumerConfig withPauses(Duration failure, Duration closing) {
        return new ConsumerConfig(
                maxFetchMessages,
                maxFetchBytes,
                start,
                ignoreCommitted,
                outOfRange,
                autoCommit,
                commitInterval,
                commitMessages,
                failure,
                times,
                closing);
    }
}
