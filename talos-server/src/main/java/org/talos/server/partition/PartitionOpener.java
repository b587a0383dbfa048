// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.partition.Partition.State;
import org.talos.server.storage.DiskFullLog;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Opens partitions: waits for a living owner to release them, takes the next epoch, opens the log, and retries failed
 * steps with backoff. Only a damaged log is left alone.
 *
 * <p>Invariant: the next epoch is taken by the version of a row that was read before this server was found to be in
 * touch with its cluster and to own the partition. So a server that was paused in between takes no partition that
 * another server has taken in the meantime.
 *
 * <p>Thread-safe. Runs on the threads for openings, none of which is held while a partition waits.
 */
final class PartitionOpener {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionOpener.class);
    private static final Duration RECLAIM_AFTER = Duration.ofSeconds(1);
    private static final Duration FIRST_POLL = Duration.ofMillis(100); // releases are announced: polls are for the rest
    private static final Duration LAST_POLL = Duration.ofSeconds(1);

    private final DiskFullLog fullDisk = new DiskFullLog(LOG, "partitions cannot be opened");
    private final Partitions rows;
    private final TopicOptions options;
    private final LogMaker logs;
    private final ScheduledExecutorService recovery;
    private final Consumer<Partition.Ending> endings;
    private final String owner;
    private final PartitionLog.Parts parts;
    private final Map<LogId, PollAttempt> waiting = new ConcurrentHashMap<>();
    private volatile Ownership ownership = Ownership.ALONE;
    private volatile boolean stopped;

    /**
     * Opens nothing yet.
     *
     * @param logs opens the log of a partition that was taken
     * @param endings carries out the ending of a partition that was closed while it was opened
     * @param owner names this process, and no other
     */
    PartitionOpener(
            Partitions rows,
            TopicOptions options,
            LogMaker logs,
            PartitionLog.Parts parts,
            ScheduledExecutorService recovery,
            Consumer<Partition.Ending> endings,
            String owner) {
        this.rows = rows;
        this.options = options;
        this.logs = logs;
        this.parts = parts;
        this.recovery = recovery;
        this.endings = endings;
        this.owner = owner;
    }

    /** Opens the log of a partition under an epoch. */
    @FunctionalInterface
    interface LogMaker {
        PartitionLog open(Partition partition, RowCatalog catalog) throws StorageException;
    }

    /**
     * One attempt to open a partition. Immutable.
     *
     * @param retryAfter before the next try, should this one fail
     * @param pollAfter before the next poll, if another process still has the partition
     * @param heldSinceNanos time since which a living process is known to have it
     */
    private record Try(Partition partition, Duration retryAfter, Duration pollAfter, OptionalLong heldSinceNanos) {
        static Try first(Partition partition) {
            return new Try(partition, Backoff.FIRST, FIRST_POLL, OptionalLong.empty());
        }

        Try afterFailure() {
            return new Try(partition, Backoff.after(retryAfter), FIRST_POLL, heldSinceNanos);
        }

        boolean isFirstPoll() {
            return pollAfter.equals(FIRST_POLL);
        }

        Try held(OptionalLong since) {
            return new Try(partition, retryAfter, Backoff.after(pollAfter, LAST_POLL), since);
        }
    }

    /** Sets the cluster's view of owners. */
    void within(Ownership cluster) {
        ownership = cluster;
    }

    /** Opens a partition; {@link Partition#settled} completes once that has succeeded, failed, or must wait. */
    void begin(Partition partition) {
        submit(partition, () -> attempt(Try.first(partition)));
    }

    private void submit(Partition partition, Runnable task) {
        try {
            recovery.execute(task);
        } catch (RejectedExecutionException e) {
            partition.settle();
            if (stopped || recovery.isShutdown()) {
                LOG.info("partition not opened, the server stops partition={}", partition.id());
            } else {
                LOG.warn("partition not opened, will retry partition={} cause={}", partition.id(), e.toString());
                schedule(partition, Backoff.FIRST, task);
            }
        }
    }

    private void schedule(Partition partition, Duration after, Runnable task) {
        if (stopped) {
            return;
        }
        try {
            var unused = recovery.schedule(task, after.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.info("partition open retry dropped, the server stops partition={}", partition.id());
        } catch (OutOfMemoryError e) { // it is queued nevertheless, for the next thread that can be started
            LOG.warn("no thread to retry opening a partition partition={} cause={}", partition.id(), e.toString());
        }
    }

    /** Another process has announced that it has released a partition: if this one waits for that, it polls at once. */
    void releasedElsewhere(LogId id) {
        PollAttempt poll = waiting.get(id);
        if (poll != null) {
            poll.now();
        }
    }

    /** This server is in touch with its cluster: openings that waited for this need not wait for their next poll. */
    void pollAll() {
        waiting.values().forEach(PollAttempt::now);
    }

    /** Begins no more openings, and stops those that wait. */
    void stop() {
        stopped = true;
    }

    /** The next poll of a partition that another process may still have. Thread-safe: it is taken once. */
    private final class PollAttempt implements Runnable {
        private final Partition partition;

        @GuardedBy("this")
        private @Nullable Try next; // once the poll before is over

        @GuardedBy("this")
        private boolean asked;

        PollAttempt(Partition partition) {
            this.partition = partition;
        }

        /** Polls now, or as soon as the current poll is over, which may have been too early. */
        synchronized void now() {
            asked = true;
            if (next != null) {
                submit(partition, this);
            }
        }

        synchronized void after(Try poll) {
            next = poll;
            if (asked) {
                submit(partition, this);
            } else {
                schedule(partition, poll.pollAfter, this);
            }
        }

        @Override
        public void run() {
            Try poll;
            synchronized (this) {
                poll = next;
                next = null;
            }
            if (poll != null) {
                waiting.remove(partition.id(), this);
                attempt(poll);
            }
        }
    }

    private void attempt(Try now) {
        if (now.partition.openingBegins()) {
            run(now);
        } else {
            now.partition.settle();
        }
    }

    /** One attempt to open a partition. Whatever its outcome, all waits for it end. */
    private void run(Try now) {
        Partition partition = now.partition;
        PollAttempt poll = new PollAttempt(partition);
        waiting.put(partition.id(), poll); // first: a release that is announced from here on is not missed
        Outcome outcome = Outcome.NONE;
        try {
            outcome = once(now);
        } catch (StorageException e) {
            failed(now, e, e.reason() != Reason.CORRUPT && e.reason() != Reason.FENCED);
        } catch (MetadataException | RuntimeException | Error e) {
            failed(now, e, true);
        } finally {
            end(partition, outcome, poll);
        }
    }

    private void end(Partition partition, Outcome outcome, PollAttempt poll) {
        Try later = outcome.later;
        boolean closed = partition.openingEnded();
        if (closed || later == null) {
            waiting.remove(partition.id(), poll);
        }
        partition.settle();
        if (closed) {
            endings.accept(new Partition.Ending(partition, outcome.opened));
        } else if (later != null) {
            poll.after(later);
        }
    }

    /**
     * The result of one try. Immutable.
     *
     * @param opened log, which is served unless the partition was closed in the meantime
     * @param later time of the next poll, if the partition must not be taken yet
     */
    private record Outcome(
            @Nullable PartitionLog opened, @Nullable Try later) {
        static final Outcome NONE = new Outcome(null, null);
    }

    private Outcome once(Try now) throws StorageException, MetadataException {
        Partition partition = now.partition;
        LogId id = partition.id();
        if (stopped || partition.is(State.CLOSED)) {
            return Outcome.NONE;
        }
        if (partition.epoch() == 0 && !ownership.isOurs(id)) {
            return new Outcome(null, now.held(OptionalLong.empty())); // does not read rows only to wait
        }
        options.learn(id);
        Optional<Versioned<PartitionRecord>> row = rows.find(id.topicId(), id.partition());
        Try later = later(now, RowCatalog.record(row));
        return later == null ? take(now, row) : new Outcome(null, later);
    }

    /** Takes the partition of this row, which has no owner, or one that must not keep it. */
    private Outcome take(Try now, Optional<Versioned<PartitionRecord>> row) throws StorageException, MetadataException {
        LogId id = now.partition.id();
        PartitionRecord record = RowCatalog.record(row);
        boolean unused = record.segments().isEmpty() && record.startOffset() == 0;
        if (unused && isOfDeletedTopic(id, record.owner().equals(owner))) {
            return ofDeletedTopic(now);
        }
        now.partition.takes();
        RowCatalog catalog = RowCatalog.takeOver(id, rows, row, owner);
        if (unused && isOfDeletedTopic(id, true)) { // it may have been deleted since
            return ofDeletedTopic(now);
        }
        now.partition.taken(catalog);
        PartitionLog log = logs.open(now.partition, catalog);
        now.partition.become(State.SERVING, log, "opened");
        fullDisk.succeeded();
        return new Outcome(log, null);
    }

    /** Waits until the partition is taken from this server, which the leader does once it has been notified. */
    private static Outcome ofDeletedTopic(Try now) {
        if (now.isFirstPoll()) {
            LOG.info("partition not opened, its topic was deleted partition={}", now.partition.id());
        }
        return new Outcome(null, now.held(OptionalLong.empty()));
    }

    /**
     * Returns whether an empty partition belongs to a deleted topic, and deletes this server's row if so. Checked
     * before the row is taken, since it may be left from an attempt whose lookup failed, and after it was written: a
     * deletion that begins from here on finds it, and one that ended before would leave it there. A server that ends in
     * between leaves an empty row.
     */
    private boolean isOfDeletedTopic(LogId id, boolean own) throws MetadataException {
        if (options.exists(id)) {
            return false;
        }
        if (own) {
            rows.delete(id.topicId(), id.partition());
        }
        return true;
    }

    /**
     * Returns the time of the next poll of the partition of this row; null: it may be taken now. This process may
     * always take a partition again that it has had without a break, whatever the cluster says: it takes it from no
     * other.
     *
     * @throws StorageException FENCED: another process has owned it since this process did
     */
    private @Nullable Try later(Try now, PartitionRecord row) throws StorageException {
        LogId id = now.partition.id();
        boolean own = row.owner().equals(owner);
        if (isStillHeld(now.partition, row, own)) {
            return null;
        }
        if (!ownership.isOurs(id)) {
            return now.held(OptionalLong.empty());
        }
        boolean free = own || RowCatalog.isReleased(row) || !ownership.isAlive(row.owner());
        return free ? null : whileHeld(now, row);
    }

    private static boolean isStillHeld(Partition partition, PartitionRecord row, boolean own) throws StorageException {
        long held = partition.epoch();
        if (held > 0 && row.epoch() > held && !own) {
            throw RowCatalog.taken(partition.id());
        }
        return held > 0 && row.epoch() == held && own;
    }

    /** Returns the time of the next poll of a partition that a living process has; null if the wait was long enough. */
    private @Nullable Try whileHeld(Try now, PartitionRecord row) {
        long nanos = parts.ticker().nanos();
        long since = now.heldSinceNanos.orElse(nanos);
        if (nanos - since < ownership.patience().toNanos()) {
            return now.held(OptionalLong.of(since));
        }
        LOG.warn(
                "partition taken from a live process that had not released it partition={} owner={} waitedMs={}",
                now.partition.id(),
                row.owner(),
                TimeUnit.NANOSECONDS.toMillis(nanos - since));
        return null;
    }

    /**
     * Marks a partition as failed. A damaged log is not opened again: an operator must inspect it, and the bytes must
     * stay as they are. A log that another process has taken over is opened again only when the cluster says that it is
     * this server's.
     */
    private void failed(Try now, Throwable e, boolean again) {
        Partition partition = now.partition;
        boolean damaged = isFor(Reason.CORRUPT, e);
        boolean fenced = isFor(Reason.FENCED, e);
        logFailed(partition, e, again);
        if (damaged) {
            partition.damaged();
        }
        if (!partition.become(State.FAILED, null, String.valueOf(e.getMessage()))) {
            return;
        }
        if (damaged || fenced) {
            partition.endReadsOfFailed();
        }
        if (fenced) {
            reclaimLater(partition, parts.ticker().nanos());
        } else if (again) {
            schedule(partition, now.retryAfter, () -> {
                if (partition.becomeOpening(State.FAILED, "tried again")) {
                    run(now.afterFailure());
                }
            });
        }
    }

    /**
     * A missing file needs no stack trace: mostly another server is deleting the topic. Nor does a row that another
     * process has changed: it has taken over the partition, or deletes the topic.
     */
    private void logFailed(Partition partition, Throwable e, boolean again) {
        if (isFor(Reason.FENCED, e)) {
            LOG.warn(
                    "partition not opened, another process has changed its row partition={} cause={}",
                    partition.id(),
                    e.getMessage());
        } else if (StorageException.isMissingFile(e)) {
            LOG.error(
                    "partition open failed, file missing partition={} again={} cause={}",
                    partition.id(),
                    again,
                    e.getMessage());
        } else if (!fullDisk.failed("partition=" + partition.id(), e)) {
            LOG.error("partition open failed partition={} again={}", partition.id(), again, e);
        }
    }

    private static boolean isFor(Reason reason, Throwable e) {
        return e instanceof StorageException storage && storage.reason() == reason;
    }

    private void reclaimLater(Partition partition, long lostNanos) {
        schedule(partition, RECLAIM_AFTER, () -> {
            if (!partition.is(State.FAILED)) {
                return;
            }
            if (!ownership.isOurs(partition.id(), lostNanos)) {
                reclaimLater(partition, lostNanos);
            } else if (partition.becomeOpening(State.FAILED, "this server's again")) {
                partition.lost();
                run(Try.first(partition));
            }
        });
    }

    /** Opens a partition again after its log failed. Called by the failing log, so it runs on another thread. */
    void reopenLater(Partition partition) {
        schedule(partition, Backoff.FIRST, () -> {
            Optional<PartitionLog> failed = partition.served();
            if (failed.isPresent() && partition.becomeOpening(State.SERVING, "an append failed")) {
                closeFailed(failed.get(), partition);
                run(Try.first(partition));
            }
        });
    }

    /** After a failure a log waits for nothing when it is closed. It is read until the next one is open. */
    private static void closeFailed(PartitionLog log, Partition partition) {
        try {
            log.endAppends();
        } catch (RuntimeException | Error e) { // the partition would be opening forever
            LOG.error("failed log not closed partition={}", partition.id(), e);
        }
    }
}
