// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.OptionalLong;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.talos.client.ClientCalls;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.transport.PartitionRef;

/**
 * The processed and committed offsets of one reader in its partition, and the time of its next commit.
 *
 * <p>Invariant: one commit is in progress at a time. Only the first commit after a seek by the program may go back. The
 * server would take any other older commit for one of a member that has lost the lock.
 *
 * <p>Thread-safe.
 */
final class Commits {
    private static final long NOTHING = -1;
    private static final int MOST_TRIES = 3;

    private final ClientCalls calls;
    private final GroupCalls group;
    private final PartitionRef partition;
    private final ConsumerConfig config;
    private final StartOffsets starts;
    private final BooleanSupplier mayCommit;
    private final Lock committing; // held during calls to a server; never taken under the other lock
    private final Lock lock;

    @GuardedBy("lock")
    private Begin begin = new Begin();

    @GuardedBy("lock")
    private OptionalLong stored = OptionalLong.empty(); // the group's next offset

    @GuardedBy("lock")
    private long committed = NOTHING; // last offset that needs no commit

    @GuardedBy("lock")
    private long processed = NOTHING;

    @GuardedBy("lock")
    private int uncommitted;

    @GuardedBy("lock")
    private boolean isStartKept = true;

    @GuardedBy("lock")
    private boolean isMoving; // after a seek by the program: the next commit may go back

    @GuardedBy("lock")
    private boolean isUrgent; // the target of the seek is not committed yet

    @GuardedBy("lock")
    private long committedAtNanos;

    @GuardedBy("lock")
    private long notBeforeNanos; // after a failure

    /**
     * The offset at which a reader began, at which it continued after messages had expired, or to which the program
     * moved it. Only messages that were read after the current beginning count as processed. Immutable.
     */
    static final class Begin {
        private final Begin first;

        private Begin() {
            first = this;
        }

        private Begin(Begin before) {
            first = before.first;
        }

        /**
         * Returns whether earlier offsets still name the same messages: since then, only seeks of the program have
         * moved the reader.
         */
        boolean continues(Begin before) {
            return first == before.first;
        }
    }

    /**
     * Creates the commits of a reader that has not begun.
     *
     * @param mayCommit whether the partition is still the reader's; called without the lock
     * @param lock guards the state in memory; no thread waits for a server while it holds the lock
     */
    Commits(
            ClientCalls calls,
            GroupCalls group,
            PartitionRef partition,
            ConsumerConfig config,
            StartOffsets starts,
            BooleanSupplier mayCommit,
            Lock lock) {
        this.calls = calls;
        this.group = group;
        this.partition = partition;
        this.config = config;
        this.starts = starts;
        this.mayCommit = mayCommit;
        this.lock = lock;
        committing = calls.runtime().lock();
        committedAtNanos = calls.nanos();
        notBeforeNanos = committedAtNanos;
    }

    /** Returns the current beginning. */
    Begin begin() {
        lock.lock();
        try {
            return begin;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the reader begins, or continues behind messages that have expired. */
    Begin start(StartOffsets.Start at) {
        lock.lock();
        try {
            begin = new Begin();
            stored = at.committed();
            committed = Math.max(NOTHING, at.position() - 1); // messages before the start need no commit
            processed = NOTHING;
            isStartKept = at.isKept();
            isMoving = false;
            isUrgent = false;
            return begin;
        } finally {
            lock.unlock();
        }
    }

    /** Moves the reader to an offset for the program. With the next commit, the group continues there too. */
    Begin seek(long offset) {
        lock.lock();
        try {
            begin = new Begin(begin);
            processed = offset - 1;
            uncommitted = 0;
            isMoving = true;
            isUrgent = true;
            return begin;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that messages up to an offset have been processed or skipped. */
    void processed(Begin of, long last, int messages) {
        lock.lock();
        try {
            if (of == begin) {
                processed = last;
                uncommitted += messages;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Commits all up to a message, unless that was done before.
     *
     * @param of the beginning after which the message was read. If the reader has begun elsewhere since, the message is
     *     not committed: it has expired, storage has lost it, or the program has moved the reader
     * @return false if the lock is lost or released, or a member has the partition
     */
    boolean commit(long last, Begin of) throws TalosClientException {
        committing.lock();
        try {
            boolean isMove;
            lock.lock();
            try {
                if (of != begin || (!isMoving && last <= committed)) {
                    return true;
                }
                isMove = isMoving;
            } finally {
                lock.unlock();
            }
            return mayCommit.getAsBoolean() && (isMove ? move(last, of) : forward(last, of));
        } finally {
            committing.unlock();
        }
    }

    private boolean forward(long last, Begin of) throws TalosClientException {
        if (!group.commit(partition, last)) {
            return false;
        }
        stored(last, of);
        return true;
    }

    /** Moves the group behind a message, even if the group is already further. */
    private boolean move(long last, Begin of) throws TalosClientException {
        GroupCalls.Moved moved = GroupCalls.Moved.NOT_THERE;
        for (int i = 0; i < MOST_TRIES && moved == GroupCalls.Moved.NOT_THERE; i++) {
            OptionalLong before = group.committed(partition);
            moved = before.equals(OptionalLong.of(last + 1))
                    ? GroupCalls.Moved.DONE
                    : group.move(partition, before, last + 1);
        }
        return switch (moved) {
            case DONE -> {
                stored(last, of);
                yield true;
            }
            case NOT_TAKEN -> {
                notTaken(of);
                yield true;
            }
            case LOCK_LOST -> false;
            case NOT_THERE ->
                throw new RetriableException(
                        "NOT_EXPECTED", "NOT_EXPECTED: others commit in partition " + partition + ", too", null);
        };
    }

    private void stored(long last, Begin of) {
        starts.committed(partition);
        lock.lock();
        try {
            stored = OptionalLong.of(last + 1);
            if (of == begin) {
                committed = last;
                isStartKept = true;
                isMoving = false;
                isUrgent = false;
                uncommitted = 0;
                committedAtNanos = calls.nanos();
                notBeforeNanos = committedAtNanos;
            }
        } finally {
            lock.unlock();
        }
    }

    /** An older server cannot store offset 0 as the next one of a group: the next commit moves it. */
    private void notTaken(Begin of) {
        lock.lock();
        try {
            if (of == begin) {
                committed = NOTHING;
                isUrgent = false;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Commits the processed messages; as {@link #commit}. After a failure no commit is due for a while. */
    boolean commitProcessed() throws TalosClientException {
        long last;
        Begin of;
        lock.lock();
        try {
            last = processed;
            of = begin;
            notBeforeNanos = calls.nanos() + config.commitInterval().toNanos(); // it may fail; a success ends that
        } finally {
            lock.unlock();
        }
        return commit(last, of);
    }

    /** Returns whether processed messages, or the target of a seek, are not committed yet. */
    boolean isBehind() {
        lock.lock();
        try {
            return isUrgent || processed > committed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the nanoseconds until the next commit is due if nothing more is processed: 0 or less if it is due now,
     * the maximum if there is nothing to commit.
     */
    long untilDueNanos() {
        lock.lock();
        try {
            if (!isBehind()) {
                return Long.MAX_VALUE;
            }
            boolean isNow = isUrgent || !isStartKept || uncommitted >= config.commitMessages();
            long now = calls.nanos();
            long interval = committedAtNanos + config.commitInterval().toNanos() - now;
            return Math.max(isNow ? 0 : interval, notBeforeNanos - now);
        } finally {
            lock.unlock();
        }
    }

    /** Returns one past the last offset that may be committed at the reader's end. */
    long end() {
        lock.lock();
        try {
            return (isMoving ? processed : Math.max(processed, committed)) + 1;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the group's next offset as this reader knows it; empty if it has committed nothing. */
    OptionalLong stored() {
        lock.lock();
        try {
            return stored;
        } finally {
            lock.unlock();
        }
    }
}
