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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
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
    private static final Duration CLOSING_PATIENCE = Duration.ofSeconds(10);
    private static final Duration STOPPING_PATIENCE = Duration.ofMinutes(1);

    private final SegmentStore store;
    private final Partitions rows;
    private final TopicOptions options;
    private final LogConfig config;
    private final PartitionLog.Parts parts;
    private final ScheduledExecutorService recovery;
    private final Executor closings;
    private final String owner;
    private final Map<LogId, Partition> partitions = new ConcurrentHashMap<>();
    private final Map<LogId, CompletableFuture<Void>> following = new ConcurrentHashMap<>();
    private volatile Decision decision = (id, sinceNanos) -> false;
    private volatile boolean closing;

    /**
     * Owns no partition yet.
     *
     * @param options how a partition's segments are to be kept
     * @param recovery runs openings, as many at once as it has threads; its creator shuts it down after this has been
     *     closed
     * @param closings closes the logs of partitions that this server loses; what hangs there holds up no opening
     * @param owner names this process, and no other
     */
    public PartitionManager(
            SegmentStore store,
            Partitions rows,
            TopicOptions options,
            LogConfig config,
            PartitionLog.Parts parts,
            ScheduledExecutorService recovery,
            Executor closings,
            String owner) {
        this.store = store;
        this.rows = rows;
        this.options = options;
        this.config = config;
        this.parts = parts;
        this.recovery = recovery;
        this.closings = closings;
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

    /** Whether this server has the partition, even if it does not serve it: it may be opening it, or closing it. */
    public boolean has(LogId id) {
        return partitions.containsKey(id);
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
                opened.add(CompletableFuture.runAsync(() -> open(added, FIRST_RETRY), recovery));
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
            return last.thenCompose(nothing -> apply(id, change)).exceptionally(error -> {
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

    /** Does not block: partitions that wait for storage hold up nobody else's change. */
    private CompletableFuture<Void> apply(LogId id, OwnershipChange change) {
        if (!change.owned()) {
            Partition lost = partitions.get(id);
            return lost == null
                    ? CompletableFuture.completedFuture(null)
                    : end(lost, "given to another server", this::closeOrDiscard)
                            .thenRun(() -> partitions.remove(id, lost));
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        Partition added = new Partition(id);
        if (closing || partitions.putIfAbsent(id, added) != null) {
            done.complete(null);
        } else {
            recovery.execute(() -> openOnceReleased(added, change.handedOver() ? HANDOVER_POLLS : 0, done));
        }
        return done;
    }

    /** Waits for a live owner to release the partition: a fence would take the journals of all its partitions. */
    private void openOnceReleased(Partition partition, int polls, CompletableFuture<Void> opened) {
        boolean waits = false;
        try {
            if (polls > 0 && !closing && !partition.is(State.CLOSED) && !RowCatalog.isReleased(partition.id(), rows)) {
                var unused = recovery.schedule(
                        () -> openOnceReleased(partition, polls - 1, opened),
                        HANDOVER_POLL_MILLIS,
                        TimeUnit.MILLISECONDS);
                waits = true;
            }
        } catch (MetadataException e) {
            LOG.info("handover not waited for partition={} cause={}", partition.id(), e.toString());
        }
        if (!waits) {
            try {
                open(partition, FIRST_RETRY);
            } finally {
                opened.complete(null);
            }
        }
    }

    private void open(Partition partition, Duration retryAfter) {
        if (partition.openingBegins()) {
            openNow(partition, retryAfter);
        }
    }

    /** Opens a partition whose opening has begun, and ends that. */
    private void openNow(Partition partition, Duration retryAfter) {
        try {
            if (!partition.is(State.CLOSED)) {
                takeOver(partition, retryAfter);
            }
        } finally {
            partition.openingEnded();
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
                closeOrDiscard(partition.id(), log);
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
            } else if (partition.becomeOpening(State.FAILED, "this server's again")) {
                partition.taken(0);
                openNow(partition, FIRST_RETRY);
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
                if (partition.becomeOpening(State.FAILED, "tried again")) {
                    openNow(partition, next);
                }
            });
        }
    }

    /** Opens a partition again after its log failed. Called by the failing log, so it runs on another thread. */
    private void reopenLater(Partition partition) {
        schedule(FIRST_RETRY, () -> {
            Optional<PartitionLog> failed = partition.served();
            if (failed.isPresent() && partition.becomeOpening(State.SERVING, "an append failed")) {
                failed.get().close(); // never throws, and after a failure waits for nothing
                openNow(partition, FIRST_RETRY);
            }
        });
    }

    private void schedule(Duration after, Runnable task) {
        if (!closing) {
            var unused = recovery.schedule(task, after.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Closes and deletes partitions of a topic that is gone, with all their messages. Nothing is deleted before all
     * logs are closed, without a seal. Blocks, for their closing up to 10 s; may be repeated.
     *
     * @throws StorageException UNAVAILABLE: not all is deleted, or a log is still being closed
     */
    public void delete(String topicId, int count) throws StorageException, MetadataException {
        List<LogId> ids = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            ids.add(new LogId(topicId, number));
        }
        ids.forEach(id -> {
            var unused = discard(id); // what is being opened gives up
        });
        await(ids.stream().map(id -> following.getOrDefault(id, CompletableFuture.completedFuture(null))), topicId);
        await(ids.stream().map(this::discard), topicId); // a change that had waited may have begun to open one
        for (LogId id : ids) {
            partitions.remove(id);
            rows.delete(id.topicId(), id.partition()); // first: files without a row are garbage
            store.deleteLog(id);
        }
    }

    private CompletableFuture<Void> discard(LogId id) {
        Partition partition = partitions.get(id);
        return partition == null
                ? CompletableFuture.completedFuture(null)
                : end(partition, "topic deleted", (same, log) -> log.discard());
    }

    private void await(Stream<CompletableFuture<Void>> ends, String topicId) throws StorageException {
        try {
            var unused = parts.threads()
                    .result(
                            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)),
                            CLOSING_PATIENCE.toMillis());
        } catch (TimeoutException e) {
            throw new StorageException(
                    Reason.UNAVAILABLE, Effect.NONE, "logs of topic " + topicId + " are still being closed", e);
        } catch (ExecutionException e) {
            throw StorageException.unavailable("logs of topic " + topicId + " were not closed", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StorageException.unavailable("interrupted", Effect.NONE, e);
        }
    }

    /** Deletes messages that are older than the partition's retention. Blocks. */
    public void retain(LogId id, Duration retention) {
        serving(id).ifPresent(log -> log.retain(retention.toMillis(), config.retentionBytesPerPartition()));
    }

    /** How a log ends. May block. */
    @FunctionalInterface
    private interface Ending {
        void end(LogId id, PartitionLog log);
    }

    /** Ends serving at once, and the log elsewhere; completes when nothing of the partition is under way any more. */
    private CompletableFuture<Void> end(Partition partition, String reason, Ending ending) {
        PartitionLog log = partition.close(reason);
        if (log != null) {
            boolean given = false;
            try {
                closings.execute(() -> {
                    try {
                        ending.end(partition.id(), log);
                    } finally {
                        partition.logClosed();
                    }
                });
                given = true;
            } finally {
                if (!given) {
                    partition.logClosed(); // the server has stopped: the next opening recovers it
                }
            }
        }
        return partition.ended();
    }

    /** Closes a log for its next owner; or for nobody, if its topic is deleted. */
    private void closeOrDiscard(LogId id, PartitionLog log) {
        boolean deleted = false;
        try {
            deleted = options.isDeleted(id);
        } catch (MetadataException e) {
            LOG.info("not known whether the topic is deleted, log sealed partition={} cause={}", id, e.toString());
        }
        if (deleted) {
            log.discard();
        } else {
            log.close();
        }
    }

    /** As {@link SegmentStore#appendsWait}. */
    public boolean appendsWait() {
        return store.appendsWait();
    }

    /** How many of the partitions are served, for the log. */
    public String summary() {
        long serving = partitions.values().stream()
                .filter(partition -> partition.is(State.SERVING))
                .count();
        return serving + " of " + partitions.size();
    }

    /**
     * Closes every partition after what is in flight has ended. Those that hang are left to the next opening, and those
     * that are being opened to the end of the store. May be called twice.
     */
    @Override
    public void close() {
        closing = true;
        CompletableFuture<?>[] ends = partitions.values().stream()
                .flatMap(partition -> {
                    boolean served = partition.served().isPresent();
                    CompletableFuture<Void> end = end(partition, "server stops", (id, log) -> log.close());
                    return served ? Stream.of(end) : Stream.empty();
                })
                .toArray(CompletableFuture[]::new);
        try {
            var unused = parts.threads().result(CompletableFuture.allOf(ends), STOPPING_PATIENCE.toMillis());
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("logs left unclosed: the next opening recovers them cause={}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
