// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.config.LogConfig;
import org.talos.server.log.LogFailures;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Partitions;
import org.talos.server.partition.Partition.State;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * The partitions that this server owns: opens them, several at once, opens them again after a failure, closes and
 * deletes them, and applies retention.
 *
 * <p>Thread-safe.
 */
public final class PartitionManager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionManager.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(10);
    private static final Duration RECLAIM_AFTER = Duration.ofSeconds(1);
    private static final int HANDOVER_POLL_MILLIS = 100;
    private static final int HANDOVER_POLLS = 100;

    private final SegmentStore store;
    private final Partitions rows;
    private final TopicOptions options;
    private final LogConfig config;
    private final PartitionLog.Parts parts;
    private final ScheduledExecutorService background;
    private final Executor openings;
    private final String owner;
    private final Map<LogId, Partition> partitions = new ConcurrentHashMap<>();
    private final Map<LogId, CompletableFuture<Void>> following = new ConcurrentHashMap<>();
    private volatile Decision decision = (id, sinceNanos) -> false;
    private volatile boolean closing;

    /**
     * Owns no partition yet.
     *
     * @param options how a partition's segments are to be kept
     * @param background runs timers; its creator shuts it down after this has been closed
     * @param openings runs openings, as many at once as it has threads
     * @param owner names this process, and no other
     */
    public PartitionManager(
            SegmentStore store,
            Partitions rows,
            TopicOptions options,
            LogConfig config,
            PartitionLog.Parts parts,
            ScheduledExecutorService background,
            Executor openings,
            String owner) {
        this.store = store;
        this.rows = rows;
        this.options = options;
        this.config = config;
        this.parts = parts;
        this.background = background;
        this.openings = openings;
        this.owner = owner;
    }

    /**
     * A partition that this server has.
     *
     * @throws TalosException PARTITION_NOT_SERVING: it has not
     */
    public Partition partition(LogId id) {
        Partition partition = partitions.get(id);
        if (partition == null) {
            throw LogFailures.notServing();
        }
        return partition;
    }

    /** Bytes of messages that each partition has taken in since it was opened here; of those that are served. */
    public Map<LogId, Long> acknowledgedBytes() {
        Map<LogId, Long> bytes = new HashMap<>();
        partitions.forEach(
                (id, partition) -> partition.served().ifPresent(log -> bytes.put(id, log.acknowledgedBytes())));
        return bytes;
    }

    /** The log of a partition that this server serves now. */
    public Optional<PartitionLog> serving(LogId id) {
        return Optional.ofNullable(partitions.get(id)).flatMap(Partition::served);
    }

    /** Opens those that are not here yet, and waits until each is served or has failed once. Blocks. */
    public void open(Collection<LogId> ids) {
        List<CompletableFuture<Void>> opened = new ArrayList<>();
        for (LogId id : ids) {
            Partition added = new Partition(id);
            if (partitions.putIfAbsent(id, added) == null) {
                opened.add(CompletableFuture.runAsync(() -> open(added, FIRST_RETRY), openings));
            }
        }
        CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).join();
    }

    /**
     * Opens or closes partitions as the coordinator says, on other threads; changes of one partition in their order.
     */
    public void follow(OwnershipChange change) {
        LogId id = new LogId(change.topicId(), change.partition());
        CompletableFuture<Void> done = following.compute(id, (same, before) -> {
            CompletableFuture<Void> last = before == null ? CompletableFuture.completedFuture(null) : before;
            return last.thenComposeAsync(nothing -> apply(id, change), openings).exceptionally(error -> {
                LOG.error("change not followed partition={} owned={}", id, change.owned(), error);
                return null;
            });
        });
        var unused = done.thenRun(() -> following.remove(id, done));
    }

    /** Waits until all changes of these partitions have been applied, or have failed. */
    public void awaitFollowed(Collection<LogId> ids) {
        ids.forEach(id -> following
                .getOrDefault(id, CompletableFuture.completedFuture(null))
                .join());
    }

    private CompletableFuture<Void> apply(LogId id, OwnershipChange change) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!change.owned()) {
            Partition lost = partitions.get(id);
            if (lost != null) {
                close(lost, "given to another server");
                partitions.remove(id, lost);
            }
            done.complete(null);
            return done;
        }
        Partition added = new Partition(id);
        if (closing || partitions.putIfAbsent(id, added) != null) {
            done.complete(null);
        } else {
            openOnceReleased(added, change.handedOver() ? HANDOVER_POLLS : 0, done);
        }
        return done;
    }

    /** Waits for a live owner to release the partition: a fence would take the journals of all its partitions. */
    private void openOnceReleased(Partition partition, int polls, CompletableFuture<Void> opened) {
        try {
            if (polls > 0 && !closing && !RowCatalog.isReleased(partition.id(), rows)) {
                var unused = background.schedule(
                        () -> openings.execute(() -> openOnceReleased(partition, polls - 1, opened)),
                        HANDOVER_POLL_MILLIS,
                        TimeUnit.MILLISECONDS);
                return;
            }
        } catch (MetadataException e) {
            LOG.info("handover not waited for partition={} cause={}", partition.id(), e.toString());
        }
        try {
            open(partition, FIRST_RETRY);
        } finally {
            opened.complete(null);
        }
    }

    private void open(Partition partition, Duration retryAfter) {
        synchronized (partition.rowLock()) {
            if (!partition.is(State.CLOSED)) {
                takeOver(partition, retryAfter);
            }
        }
    }

    private void takeOver(Partition partition, Duration retryAfter) {
        try {
            options.learn(partition.id());
            RowCatalog catalog = RowCatalog.takeOver(partition.id(), rows, owner, partition.epoch());
            partition.taken(catalog.epoch());
            PartitionLog log = PartitionLog.open(
                    partition.id(),
                    store,
                    catalog,
                    () -> options.of(partition.id()),
                    config,
                    parts,
                    () -> reopenLater(partition));
            if (!partition.become(State.SERVING, log, "opened")) {
                log.close();
            }
        } catch (StorageException e) {
            failed(partition, e, e.reason() != Reason.CORRUPT && e.reason() != Reason.FENCED, retryAfter);
        } catch (MetadataException e) {
            failed(partition, e, true, retryAfter);
        } catch (RuntimeException e) {
            failed(partition, e, false, retryAfter);
        }
    }

    /**
     * Sets who decides whether a partition that another server has taken over is reclaimed. In a cluster a server may
     * lose a partition and own it again without a notice of either.
     */
    public void decidedBy(Decision by) {
        decision = by;
    }

    /** Decides whether this server owns a partition. */
    @FunctionalInterface
    public interface Decision {
        /**
         * Whether this server owns the partition, by news received at or after that time: older news may be the reason
         * why it lost the partition. Must not block.
         */
        boolean isOurs(LogId id, long sinceNanos);
    }

    private void reclaimLater(Partition partition, long lostNanos) {
        schedule(RECLAIM_AFTER, () -> {
            if (!partition.is(State.FAILED)) {
                return;
            }
            if (!decision.isOurs(partition.id(), lostNanos)) {
                reclaimLater(partition, lostNanos);
            } else if (partition.become(State.OPENING, null, "this server's again")) {
                partition.taken(0);
                open(partition, FIRST_RETRY);
            }
        });
    }

    /**
     * Marks a partition as failed. A damaged log is not opened again: an operator has to inspect it, and the bytes must
     * stay as they are. Nor is a partition that another server has taken over, unless a {@link Decision} says whose it
     * is: the two servers would take it from each other for ever.
     */
    private void failed(Partition partition, Exception e, boolean again, Duration retryAfter) {
        LOG.error("partition can't be served partition={} again={}", partition.id(), again, e);
        if (!partition.become(State.FAILED, null, String.valueOf(e.getMessage())) || closing) {
            return;
        }
        if (e instanceof StorageException storage && storage.reason() == Reason.FENCED) {
            reclaimLater(partition, parts.ticker().nanos());
        } else if (again) {
            Duration next =
                    retryAfter.multipliedBy(2).compareTo(LAST_RETRY) > 0 ? LAST_RETRY : retryAfter.multipliedBy(2);
            schedule(retryAfter, () -> {
                if (partition.become(State.OPENING, null, "tried again")) {
                    open(partition, next);
                }
            });
        }
    }

    /** Opens a partition again after its log failed. Called by the failing log, so it runs on another thread. */
    private void reopenLater(Partition partition) {
        schedule(FIRST_RETRY, () -> {
            PartitionLog failed = partition.is(State.SERVING) ? partition.log() : null;
            if (failed != null && partition.become(State.OPENING, null, "an append failed")) {
                failed.close();
                open(partition, FIRST_RETRY);
            }
        });
    }

    private void schedule(Duration after, Runnable task) {
        if (!closing) {
            var unused = background.schedule(() -> openings.execute(task), after.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Closes and deletes partitions of a topic that is gone, with all their messages. Blocks; may be repeated. */
    public void delete(String topicId, int count) throws StorageException, MetadataException {
        for (int number = 0; number < count; number++) {
            LogId id = new LogId(topicId, number);
            Partition partition = partitions.get(id);
            if (partition == null) {
                remove(id);
                continue;
            }
            close(partition, "topic deleted");
            synchronized (partition.rowLock()) {
                remove(id);
            }
            partitions.remove(id);
        }
    }

    /** Deletes the row first: files without a row are garbage. */
    private void remove(LogId id) throws StorageException, MetadataException {
        rows.delete(id.topicId(), id.partition());
        store.deleteLog(id);
    }

    /** Deletes messages that are older than the partition's retention. Blocks. */
    public void retain(LogId id, Duration retention) {
        Optional.ofNullable(partitions.get(id))
                .filter(partition -> partition.is(State.SERVING))
                .ifPresent(
                        partition -> partition.log().retain(retention.toMillis(), config.retentionBytesPerPartition()));
    }

    private static void close(Partition partition, String reason) {
        PartitionLog log = partition.close(reason);
        if (log != null) {
            log.close();
        }
    }

    /** How many of the partitions are served, for the log. */
    public String summary() {
        long serving = partitions.values().stream()
                .filter(partition -> partition.is(State.SERVING))
                .count();
        return serving + " of " + partitions.size();
    }

    /** Closes every partition after what is in flight has ended. May be called twice. */
    @Override
    public void close() {
        closing = true;
        partitions.values().parallelStream().forEach(partition -> close(partition, "server stops"));
    }
}
