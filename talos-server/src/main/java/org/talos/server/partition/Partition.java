// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.LogFailures;
import org.talos.server.log.PartitionLog;
import org.talos.server.storage.LogId;

/**
 * One partition on this server and the state it is in.
 *
 * <pre>
 * OPENING → SERVING   its log is open
 * OPENING → FAILED    whatever ended the opening; tried again later, but for damage
 * SERVING → OPENING   an append failed: the log is opened again under the next epoch
 * FAILED  → OPENING   tried again
 * any     → CLOSED    the server stops, another server owns it, or the topic is gone; for good
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class Partition {
    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    /** What a partition is doing. */
    enum State {
        OPENING,
        SERVING,
        FAILED,
        CLOSED;

        boolean mayBecome(State next) {
            return switch (this) {
                case OPENING -> next == SERVING || next == FAILED || next == CLOSED;
                case SERVING -> next == OPENING || next == CLOSED;
                case FAILED -> next == OPENING || next == CLOSED;
                case CLOSED -> false;
            };
        }
    }

    private final LogId id;

    @GuardedBy("this")
    private State state = State.OPENING;

    @GuardedBy("this")
    private boolean opening; // a thread opens it, and ends it if it is closed meanwhile

    private volatile @Nullable PartitionLog log; // while serving
    private volatile @Nullable RowCatalog catalog; // of this process's last ownership
    private volatile long firstEpoch; // since when this process has owned it without a break
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Partition(LogId id) {
        this.id = id;
    }

    /** Completes once its first opening has ended, well or not, or waits for another owner. */
    CompletableFuture<Void> settled() {
        return settled;
    }

    /** Notes that its opening has ended, or waits. */
    void settle() {
        settled.complete(null);
    }

    /**
     * Completes once the partition is closed, and nothing of it is opened or closed any more: then its row and its
     * files may go.
     */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Notes that a thread is about to open it; false if it is closed. To be followed by {@link #openingEnded}. */
    synchronized boolean openingBegins() {
        if (state == State.CLOSED) {
            return false;
        }
        opening = true;
        return true;
    }

    /**
     * Notes that the thread that opened it is done with it.
     *
     * @return whether it was closed meanwhile: then this thread has it ended, and {@link #hasEnded} called
     */
    synchronized boolean openingEnded() {
        opening = false;
        return state == State.CLOSED;
    }

    /** Epoch under which this process owned it last; 0 if it never did, or has lost it since. */
    long epoch() {
        RowCatalog owned = catalog;
        return owned == null ? 0 : owned.epoch();
    }

    /** The row, under the epoch under which this process owned it last; null if it never did, or has lost it since. */
    @Nullable
    RowCatalog catalog() {
        return catalog;
    }

    /** First of the epochs under which this process has owned it without a break. */
    long firstEpoch() {
        return firstEpoch;
    }

    /** Records that this process owns it, under a new epoch. */
    void taken(RowCatalog owned) {
        if (catalog == null) {
            firstEpoch = owned.epoch();
        }
        catalog = owned;
    }

    /** Records that another process has owned it since. */
    void lost() {
        catalog = null;
    }

    /** Its name. */
    public LogId id() {
        return id;
    }

    /**
     * The log, while it is served.
     *
     * @throws org.talos.common.error.TalosException PARTITION_NOT_SERVING otherwise
     */
    public PartitionLog log() {
        PartitionLog serving = log;
        if (serving == null) {
            throw LogFailures.notServing();
        }
        return serving;
    }

    /** Like {@link #log()}, and empty while the partition is not served. */
    Optional<PartitionLog> served() {
        return Optional.ofNullable(log);
    }

    synchronized boolean is(State expected) {
        return state == expected;
    }

    /** Changes the state, if that is legal; false if the partition has been closed meanwhile. */
    synchronized boolean become(State next, @Nullable PartitionLog opened, String reason) {
        if (state == State.CLOSED) {
            return false;
        }
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("partition " + id + ": " + state + " to " + next);
        }
        if (state != State.OPENING || next != State.SERVING) {
            LOG.info("partition changed partition={} from={} to={} reason={}", id, state, next, reason);
        }
        state = next;
        log = opened;
        return true;
    }

    /**
     * Like {@link #become}, for the one thread that then opens it.
     *
     * @param from the state that it has to be in
     */
    synchronized boolean becomeOpening(State from, String reason) {
        if (state != from) {
            return false;
        }
        become(State.OPENING, null, reason);
        opening = true;
        return true;
    }

    /** Whether there is a log to be closed: one that is served, or one whose closing is under way. */
    synchronized boolean isOpen() {
        return log != null || (state == State.CLOSED && !opening && !ended.isDone());
    }

    /**
     * Ends serving for good. May be called again.
     *
     * @return the ending that is the caller's to carry out; empty if it is done already, or is left to the thread that
     *     opens it
     */
    Optional<Ending> close(String reason) {
        synchronized (this) {
            PartitionLog served = log;
            boolean closes = become(State.CLOSED, null, reason);
            settle();
            return closes && !opening ? Optional.of(new Ending(this, served)) : Optional.empty();
        }
    }

    /** Notes that all that was opened is closed. */
    void hasEnded() {
        ended.complete(null);
    }

    /**
     * What is left to do of a partition that is closed. Immutable.
     *
     * @param log the log that was served or opened last, if there is one
     */
    record Ending(Partition partition, @Nullable PartitionLog log) {}
}
