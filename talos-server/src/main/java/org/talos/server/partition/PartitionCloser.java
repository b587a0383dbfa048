// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.partition.Partition.Ending;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Ends partitions that are closed: for their next owner, for a deletion, or because the server stops. Partitions for
 * another owner are always released in their row in the end, even if they could not be opened here or not be sealed.
 * Otherwise the next owner would wait for as long as this server lives.
 *
 * <p>Thread-safe. Runs on the threads for closings.
 */
final class PartitionCloser {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionCloser.class);

    private final TopicOptions options;
    private final Partitions rows;
    private final LogMaker logs;
    private final ScheduledExecutorService timers;
    private final Executor closings;
    private final String owner;
    private final Function<LogId, Optional<Partition>> present;
    private volatile boolean stopped;

    /**
     * Ends nothing yet.
     *
     * @param logs opens a log to seal the segments that it left unsealed
     * @param timers says when a release that failed is tried again
     * @param owner names this process, and no other
     * @param present the partition of an id that is on this server now
     */
    PartitionCloser(
            TopicOptions options,
            Partitions rows,
            LogMaker logs,
            ScheduledExecutorService timers,
            Executor closings,
            String owner,
            Function<LogId, Optional<Partition>> present) {
        this.options = options;
        this.rows = rows;
        this.logs = logs;
        this.timers = timers;
        this.closings = closings;
        this.owner = owner;
        this.present = present;
    }

    /** Opens the log of a partition under an epoch. */
    @FunctionalInterface
    interface LogMaker {
        PartitionLog open(Partition partition, RowCatalog catalog, Runnable onFailure) throws StorageException;
    }

    /** Seals the log and releases the partition, for its next owner; seals nothing if its topic is deleted. */
    void handOver(Ending ending) {
        if (ending.log() == null && !ending.partition().mayBeOurs()) {
            ending.partition().hasEnded(); // this process has never had it
        } else {
            run(ending.partition(), () -> handOverNow(ending));
        }
    }

    /** Seals nothing: the log is about to be deleted. */
    void discard(Ending ending) {
        run(ending, PartitionLog::discard);
    }

    /**
     * Seals the log, and leaves segments that cannot be sealed to the next opening. Releases nothing, which would be a
     * row for each partition: this process is about to end, and no server waits for an ended process.
     */
    void close(Ending ending) {
        run(ending, PartitionLog::close);
    }

    /** Releases partitions for their next owners, because the server stops. */
    void stop() {
        stopped = true;
    }

    private void run(Ending ending, Consumer<PartitionLog> how) {
        PartitionLog log = ending.log();
        if (log == null) {
            ending.partition().hasEnded();
        } else {
            run(ending.partition(), () -> how.accept(log));
        }
    }

    /** Carries out an ending on another thread; afterwards no work on the partition is left. */
    private void run(Partition partition, Runnable ending) {
        Runnable task = () -> {
            try {
                ending.run();
            } finally {
                partition.hasEnded();
            }
        };
        Runnable abandoned = () -> {
            LOG.info(
                    "log not closed, the server has stopped: the next opening recovers it partition={}",
                    partition.id());
            partition.hasEnded();
        };
        submit(new Work(partition.id(), task, abandoned), Backoff.FIRST);
    }

    /** A task for a thread for closings, and its alternative once the server stops. Immutable. */
    private record Work(LogId id, Runnable task, Runnable abandoned) {}

    /** Submits work to the threads for closings; if none is free and none can be started, retries. */
    private void submit(Work work, Duration retryAfter) {
        try {
            closings.execute(work.task);
        } catch (RejectedExecutionException e) {
            if (stopped) {
                work.abandoned.run();
            } else {
                LOG.warn("partition not closed, will retry partition={} cause={}", work.id, e.toString());
                later(work, retryAfter, Backoff.after(retryAfter));
            }
        }
    }

    private void later(Work work, Duration delay, Duration retryAfter) {
        try {
            var unused = timers.schedule(() -> submit(work, retryAfter), delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            work.abandoned.run();
        } catch (OutOfMemoryError e) { // it is queued nevertheless, for the next thread that can be started
            LOG.warn("no thread to close a partition partition={} cause={}", work.id, e.toString());
        }
    }

    private void handOverNow(Ending ending) {
        Partition partition = ending.partition();
        PartitionLog log = ending.log();
        boolean deleted = isDeleted(partition.id());
        try {
            if (log != null && deleted) {
                log.discard();
            } else if (log != null) {
                log.close();
            }
        } finally {
            if (!deleted && !stopped) {
                release(partition);
            }
        }
    }

    private void release(Partition partition) {
        RowCatalog catalog = partition.catalog();
        if (catalog == null) {
            releaseAsFound(partition, Backoff.FIRST);
        } else if (!catalog.isReleased()) {
            release(partition, whole(partition, catalog));
        }
    }

    private boolean isDeleted(LogId id) {
        try {
            return options.isDeleted(id);
        } catch (MetadataException e) {
            LOG.info("topic deletion state unknown, log sealed partition={} cause={}", id, e.toString());
            return false;
        }
    }

    /**
     * Seals the segments that this process has written and has not sealed, by opening the log once more. A recovery on
     * another server fences everything that this server writes. Returns the row's catalog, under the latest epoch.
     */
    private RowCatalog whole(Partition partition, RowCatalog catalog) {
        RowCatalog last = catalog;
        if (!catalog.hasUnsealedSince(partition.firstEpoch())) {
            return last;
        }
        LogId id = partition.id();
        try {
            Optional<Versioned<PartitionRecord>> row = rows.find(id.topicId(), id.partition());
            PartitionRecord record = RowCatalog.record(row);
            if (record.owner().equals(owner) && record.epoch() == catalog.epoch()) {
                last = RowCatalog.takeOver(id, rows, row, owner);
                partition.taken(last);
                logs.open(partition, last, () -> {}).close();
            }
        } catch (StorageException | MetadataException | RuntimeException | Error e) {
            LOG.warn("log released unsealed: its next owner fences this server partition={}", id, e);
        }
        return last;
    }

    private void release(Partition partition, RowCatalog catalog) {
        try {
            catalog.release();
        } catch (StorageException e) {
            LOG.info(
                    "partition not released by its known row, reading it again partition={} cause={}",
                    partition.id(),
                    e.toString());
            if (e.reason() == Reason.FENCED) {
                releaseAsFound(partition, Backoff.FIRST);
            } else {
                releaseLater(partition, Backoff.FIRST);
            }
        }
    }

    /**
     * Releases the partition if its row says that this process has it, whichever write did that: one whose answer was
     * lost may have been the last. If the partition is open here again, that opening releases it in the end, once it
     * has tried to take it. This is checked after the row was read: a later opening finds the row changed, or has
     * changed it.
     */
    private void releaseAsFound(Partition partition, Duration retryAfter) {
        try {
            Optional<RowCatalog> own = RowCatalog.held(partition.id(), rows, owner);
            Optional<Partition> again = present.apply(partition.id()).filter(each -> each != partition);
            if (own.isPresent() && again.isEmpty()) {
                own.get().release();
            } else if (own.isPresent() && !again.get().mayBeOurs()) {
                releaseLater(partition, retryAfter);
            }
        } catch (StorageException | MetadataException e) {
            LOG.info("partition not released partition={} again={} cause={}", partition.id(), !stopped, e.toString());
            releaseLater(partition, retryAfter);
        }
    }

    private void releaseLater(Partition partition, Duration delay) {
        if (!stopped) {
            Runnable task = () -> releaseAsFound(partition, Backoff.after(delay));
            Runnable abandoned = () -> LOG.info("partition not released, the server stops");
            later(new Work(partition.id(), task, abandoned), delay, Backoff.FIRST);
        }
    }
}
