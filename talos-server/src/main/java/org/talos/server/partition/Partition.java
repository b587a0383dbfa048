// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.server.log.LogFailures;
import org.talos.server.log.PartitionLog;
import org.talos.server.storage.LogId;

/**
 * One partition on this server, and its state.
 *
 * <pre>
 * OPENING → SERVING   its log is open
 * OPENING → FAILED    whatever ended the opening; tried again later, but for damage
 * SERVING → OPENING   an append failed: the log is opened again under the next epoch, and read meanwhile
 * FAILED  → OPENING   tried again
 * any     → CLOSED    the server stops, another server owns it, or the topic is gone; for good
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class Partition {
    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    /** The reason for closing all partitions at once, which is logged once and not for each. */
    static final String SERVER_STOPS = "server stops";

    /** The state of a partition. */
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
    private @Nullable String lastFailure; // since it was served

    @GuardedBy("this")
    private boolean opening; // a thread opens it, and ends it if it is closed in the meantime

    private volatile boolean damaged; // it is never opened again

    private volatile @Nullable PartitionLog log; // while serving
    private volatile @Nullable PartitionLog readable; // the same, and after a failure until the next one is open
    private volatile @Nullable RowCatalog catalog; // of this process's last ownership
    private volatile long firstEpoch; // start of this process's unbroken ownership
    private volatile boolean tried; // to take it: this process may own it without ever learning of it
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Partition(LogId id) {
        this.id = id;
    }

    /** Completes once its first opening has ended, successfully or not, or waits for another owner. */
    CompletableFuture<Void> settled() {
        return settled;
    }

    /** Notes that its opening has ended, or waits. */
    void settle() {
        settled.complete(null);
    }

    /**
     * Completes once the partition is closed, and no part of it is being opened or closed any more: then its row and
     * its files may be deleted.
     */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /**
     * Notes that a thread is about to open it; returns false if it is closed. Call {@link #openingEnded} afterwards.
     */
    synchronized boolean openingBegins() {
        if (state == State.CLOSED) {
            return false;
        }
        opening = true;
        return true;
    }

    /**
     * Notes that the thread that opened it has finished.
     *
     * @return whether it was closed in the meantime: then this thread must end it and call {@link #hasEnded}
     */
    synchronized boolean openingEnded() {
        opening = false;
        return state == State.CLOSED;
    }

    /** Returns the epoch of this process's last ownership; 0 if it never owned it, or has lost it since. */
    long epoch() {
        RowCatalog owned = catalog;
        return owned == null ? 0 : owned.epoch();
    }

    /**
     * Returns the row, under the epoch of this process's last ownership; null if it never owned it, or has lost it
     * since.
     */
    @Nullable
    RowCatalog catalog() {
        return catalog;
    }

    /** Returns the first epoch of this process's unbroken ownership. */
    long firstEpoch() {
        return firstEpoch;
    }

    /** Records that this process is about to take it: it may succeed without ever learning of it. */
    void takes() {
        tried = true;
    }

    /** Returns whether its row may say that this process has it. */
    boolean mayBeOurs() {
        return tried;
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
     * Returns the log, while it is served.
     *
     * @throws TalosException PARTITION_NOT_SERVING otherwise
     */
    public PartitionLog log() {
        PartitionLog serving = log;
        if (serving == null) {
            throw unserved();
        }
        return serving;
    }

    private TalosException unserved() {
        return damaged ? LogFailures.damaged() : LogFailures.notServing();
    }

    /** Records that its log is damaged: it is not opened again. */
    void damaged() {
        damaged = true;
    }

    /**
     * Returns the log to read from: the served one, or the last served one until it is open again. All of its messages
     * were acknowledged.
     *
     * @throws TalosException PARTITION_NOT_SERVING: it was never open, is damaged, or another server has it
     */
    public PartitionLog readable() {
        return read().orElseThrow(this::unserved);
    }

    /** Like {@link #readable()}, and empty where that throws. */
    Optional<PartitionLog> read() {
        return Optional.ofNullable(readable);
    }

    /** Like {@link #log()}, and empty while the partition is not served. */
    Optional<PartitionLog> served() {
        return Optional.ofNullable(log);
    }

    synchronized boolean is(State expected) {
        return state == expected;
    }

    /** Ends the reads of a failed log: it is damaged, or stale. */
    void endReadsOfFailed() {
        endReads(takeUnserved());
    }

    private synchronized @Nullable PartitionLog takeUnserved() {
        PartitionLog unserved = readable == log ? null : readable;
        readable = log;
        return unserved;
    }

    private static void endReads(@Nullable PartitionLog unserved) {
        if (unserved != null) {
            unserved.endReads(); // a thread that waits there looks for the next one
        }
    }

    /** Changes the state, if that is legal; returns false if the partition has been closed in the meantime. */
    boolean become(State next, @Nullable PartitionLog opened, String reason) {
        PartitionLog unserved = null;
        synchronized (this) {
            if (!change(next, opened, reason)) {
                return false;
            }
            if (next == State.SERVING) {
                unserved = takeUnserved();
            }
        }
        endReads(unserved);
        return true;
    }

    @GuardedBy("this")
    private boolean change(State next, @Nullable PartitionLog opened, String reason) {
        if (state == State.CLOSED) {
            return false;
        }
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("partition " + id + ": " + state + " to " + next);
        }
        say(next, reason);
        state = next;
        log = opened;
        return true;
    }

    /** A partition that fails repeatedly in the same way logs that once, and logs once when it is served. */
    @GuardedBy("this")
    private void say(State next, String reason) {
        boolean again = state == State.FAILED && next == State.OPENING;
        boolean sameFailure = next == State.FAILED && reason.equals(lastFailure);
        boolean atOnce = next == State.SERVING && lastFailure == null;
        boolean withAll = reason.equals(SERVER_STOPS);
        if (!again && !sameFailure && !atOnce && !withAll) {
            LOG.info("partition changed partition={} from={} to={} reason={}", id, state, next, reason);
        }
        if (next == State.FAILED) {
            lastFailure = reason;
        } else if (next == State.SERVING) {
            lastFailure = null;
        }
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
        change(State.OPENING, null, reason);
        opening = true;
        return true;
    }

    /** Returns whether there is a log to close: one that is served, or one that is being closed. */
    synchronized boolean isOpen() {
        return log != null || (state == State.CLOSED && !opening && !ended.isDone());
    }

    /**
     * Ends serving for good. May be called again.
     *
     * @return the ending that the caller must carry out; empty if it is already done, or is left to the opening thread
     */
    Optional<Ending> close(String reason) {
        PartitionLog unserved;
        Optional<Ending> ending;
        synchronized (this) {
            PartitionLog served = log;
            unserved = takeUnserved();
            boolean closes = change(State.CLOSED, null, reason);
            readable = null;
            settle();
            ending = closes && !opening ? Optional.of(new Ending(this, served)) : Optional.empty();
        }
        endReads(unserved);
        return ending;
    }

    /** Notes that everything that was opened is closed. */
    void hasEnded() {
        ended.complete(null);
    }

    /**
     * The remaining work for a closed partition. Immutable.
     *
     * @param log the log that was served or opened last, if there is one
     */
    record Ending(Partition partition, @Nullable PartitionLog log) {}
}
