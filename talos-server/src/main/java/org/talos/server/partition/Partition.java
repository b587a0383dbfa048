// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
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

    private volatile @Nullable PartitionLog log; // while serving
    private volatile long epoch; // of this process's last ownership
    private final Object rowLock = new Object();

    Partition(LogId id) {
        this.id = id;
    }

    /** Held during a takeover and during deletion: a takeover must not create again what a deletion removes. */
    Object rowLock() {
        return rowLock;
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

    /** Ends serving for good; returns the log that was served until now, for the caller to close. */
    synchronized @Nullable PartitionLog close(String reason) {
        PartitionLog served = log;
        become(State.CLOSED, null, reason);
        return served;
    }
}
