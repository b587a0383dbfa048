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
 * OPENING → FAILED    its log is damaged or storage fails; tried again later, but for damage
 * SERVING → OPENING   an append failed: the log is opened again under the next epoch
 * FAILED  → OPENING   tried again
 * any     → CLOSED    the server stops, or the topic is gone; for good
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
    private boolean opening; // a thread opens it, and closes what it has opened if it is told so meanwhile

    @GuardedBy("this")
    private boolean closingLog; // whoever has closed the partition closes its log

    private volatile @Nullable PartitionLog log; // while serving
    private volatile long epoch; // of this process's last ownership
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Partition(LogId id) {
        this.id = id;
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
        opening = state != State.CLOSED;
        return opening;
    }

    /** Notes that the thread that opened it is done with it. */
    void openingEnded() {
        boolean last;
        synchronized (this) {
            opening = false;
            last = state == State.CLOSED && !closingLog;
        }
        if (last) {
            ended.complete(null);
        }
    }

    /** Epoch under which this process owned it last; 0 if it never did. */
    long epoch() {
        return epoch;
    }

    /** Records that this process owns it, under a new epoch. */
    void taken(long newEpoch) {
        epoch = newEpoch;
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

    /**
     * Ends serving for good; returns the log that was served until now, for the caller to close, and then to call
     * {@link #logClosed}. May be called again, and then returns nothing.
     */
    @Nullable
    PartitionLog close(String reason) {
        PartitionLog served;
        boolean last;
        synchronized (this) {
            served = log;
            boolean closes = become(State.CLOSED, null, reason);
            closingLog |= served != null;
            last = closes && served == null && !opening;
        }
        if (last) {
            ended.complete(null);
        }
        return served;
    }

    /** Notes that the log that {@link #close} has returned is closed. */
    void logClosed() {
        ended.complete(null);
    }
}
