// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.Commits.Begin;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.transport.PartitionRef;

/**
 * Holds one partition for its reader: knows whether the partition is still this consumer's, makes the checkpoints that
 * the program gets, commits, and releases the lock. {@link PartitionReader} fetches and calls the processor.
 *
 * <p>Thread-safe.
 */
final class PartitionHold {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionHold.class);

    private final GroupCalls group;
    private final PartitionRef partition;
    private final BooleanSupplier held;
    private final ReaderState state;
    private final Commits commits;

    /**
     * Creates the hold of a reader that has not started.
     *
     * @param starts finds where to begin
     * @param held whether the consumer's locks are certain not to have expired
     */
    PartitionHold(
            ClientCalls calls,
            GroupCalls group,
            PartitionRef partition,
            ConsumerConfig config,
            StartOffsets starts,
            BooleanSupplier held) {
        this.group = group;
        this.partition = partition;
        this.held = held;
        state = new ReaderState(calls.runtime());
        commits = new Commits(calls, group, partition, config, starts, this::mayCommit, state.lock());
    }

    PartitionRef partition() {
        return partition;
    }

    /** Returns the requests of the consumer and the program to the reader. */
    ReaderState state() {
        return state;
    }

    Commits commits() {
        return commits;
    }

    /** Returns whether the partition may be read and committed: its lock is not lost and cannot have expired. */
    boolean isOurs() {
        return !state.isLost() && held.getAsBoolean();
    }

    private boolean mayCommit() {
        return isOurs() && state.isLocking();
    }

    /**
     * Sends the reader to an offset.
     *
     * @return commits that the group continues there; empty if the reader is ending
     */
    Optional<Processed> seek(long offset) {
        state.lock().lock();
        try {
            return state.seek(offset) ? Optional.of(new Processed(commits.seek(offset), offset)) : Optional.empty();
        } finally {
            state.lock().unlock();
        }
    }

    /**
     * Returns the checkpoint of messages for the program.
     *
     * @param from the beginning after which they were read
     * @param end one past the last of them
     */
    Processed checkpoint(Begin from, long end) {
        return new Processed(from, end);
    }

    /** Commits the processed messages. A failed commit is retried later. */
    void commitProcessed() {
        try {
            if (!commits.commitProcessed()) {
                LOG.warn("offset commit refused, another member holds the partition partition={}", partition);
                if (group.isMember()) {
                    state.lost();
                }
            }
        } catch (TalosClientException e) {
            LOG.warn("offset commit failed, will retry partition={} code={}", partition, e.code(), e);
        }
    }

    /** Releases the partition's lock, unless it is lost. */
    void release() {
        if (!isOurs()) {
            return;
        }
        try {
            group.unlock(partition, state::released);
        } catch (TalosClientException e) {
            LOG.warn("lock release failed, it will expire partition={} code={}", partition, e.code(), e);
        }
    }

    /** The processed messages that the program may commit. Thread-safe: a program that polls may commit it later. */
    final class Processed implements Checkpoint {
        private final Begin from;
        private final long end;

        /**
         * @param from the beginning after which it was read
         * @param end one past the last message that may be committed
         */
        private Processed(Begin from, long end) {
            this.from = from;
            this.end = end;
        }

        /** Returns the partition. */
        PartitionRef partition() {
            return partition;
        }

        /** One past the last message that may be committed. */
        long end() {
            return end;
        }

        /** Returns whether the partition must be released, or is lost. */
        boolean isOver() {
            return state.isStopping() || !isOurs();
        }

        /** Returns whether the partition is paused now. */
        boolean isPaused() {
            return state.isPaused();
        }

        /** Returns whether the reader has been moved since then, so that these messages must not be processed. */
        boolean isSuperseded() {
            return from != commits.begin();
        }

        /** Returns whether this checkpoint has the same reader and messages as another one, and so can replace it. */
        boolean continues(Processed before) {
            return from.continues(before.from);
        }

        /** Notes that the program has got these messages: the next messages are those behind them. */
        void given() {
            state.lock().lock();
            try {
                if (!isSuperseded()) {
                    var unused = state.advance(end);
                }
            } finally {
                state.lock().unlock();
            }
        }

        /** Notes that the program has requested a commit: the partition is not released before the commit has ended. */
        void promise() {
            state.promise(1);
        }

        /** Notes that a requested commit has ended. */
        void kept() {
            state.promise(-1);
        }

        @Override
        public void commit() throws TalosClientException {
            commitTo(end);
        }

        @Override
        public void commitBefore(long offset) throws TalosClientException {
            if (offset > end) {
                throw new IllegalArgumentException("offset: " + offset + " (expected: " + end + " at most)");
            }
            commitTo(offset);
        }

        /** Commits like this, for any offset that the program has got before. */
        void commitTo(long offset) throws TalosClientException {
            if (commits.commit(offset - 1, from)) {
                return;
            }
            if (group.isMember()) {
                state.lost();
            }
            String whose = group.isMember() ? "another member's" : isOver() ? "not assigned any more" : "a member's";
            throw new FatalException(
                    GroupCalls.LOCK_LOST, GroupCalls.LOCK_LOST + ": partition " + partition + " is " + whose, null);
        }
    }
}
