// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.Coordinator.HandoverListener;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.config.LogConfig;
import org.talos.server.log.LogFailures;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.time.Retention;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.partition.Partition.State;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.time.SteadyClock;
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
public final class PartitionManager implements AutoCloseable, HandoverListener {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionManager.class);
    private static final Duration CLOSING_PATIENCE = Duration.ofSeconds(10);
    private static final Duration STOPPING_PATIENCE = Duration.ofMinutes(1);

    private final SegmentStore store;
    private final Partitions rows;
    private final TopicOptions options;
    private final LogConfig config;
    private final PartitionLog.Parts parts;
    private final PartitionOpener opener;
    private final PartitionCloser closer;
    private final Map<LogId, Partition> partitions = new ConcurrentHashMap<>();
    private final Map<LogId, CompletableFuture<Void>> following = new ConcurrentHashMap<>();
    private volatile Ownership ownership = Ownership.ALONE;
    private volatile boolean closing;

    /**
     * The threads that open and close partitions. Immutable.
     *
     * @param recovery runs openings, as many at once as it has threads; its creator shuts it down after the manager has
     *     been closed
     * @param closings closes the logs of partitions that this server loses; a close that hangs delays no opening
     */
    public record Pools(ScheduledExecutorService recovery, Executor closings) {}

    /**
     * Owns no partition yet.
     *
     * @param options settings of a partition's segments
     * @param owner names this process, and no other
     */
    public PartitionManager(
            SegmentStore store,
            Partitions rows,
            TopicOptions options,
            LogConfig config,
            PartitionLog.Parts parts,
            Pools pools,
            String owner) {
        this.store = store;
        this.rows = rows;
        this.options = options;
        this.config = config;
        this.parts = parts;
        closer = new PartitionCloser(
                options,
                rows,
                this::openLog,
                pools.recovery,
                pools.closings,
                owner,
                id -> Optional.ofNullable(partitions.get(id)));
        opener = new PartitionOpener(rows, options, this::openServed, parts, pools.recovery, closer::handOver, owner);
    }

    private PartitionLog openServed(Partition partition, RowCatalog catalog) throws StorageException {
        return openLog(partition, catalog, () -> opener.reopenLater(partition));
    }

    private PartitionLog openLog(Partition partition, RowCatalog catalog, Runnable onFailure) throws StorageException {
        LogId id = partition.id();
        return PartitionLog.open(id, store, catalog, () -> options.of(id), config, parts, onFailure);
    }

    /** Sets the cluster's view of owners; until then this server stands alone. */
    public void within(Ownership cluster) {
        ownership = cluster;
        opener.within(cluster);
    }

    /** If this process waits for that partition, it polls at once. */
    @Override
    public void released(String topicId, int partition) {
        opener.releasedElsewhere(new LogId(topicId, partition));
    }

    /** Polls all waiting partitions at once. */
    @Override
    public void inTouch() {
        opener.pollAll();
    }

    /**
     * Returns a partition that this server has.
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

    /** Returns the bytes of messages that each served partition has received since it was opened here. */
    public Map<LogId, Long> acknowledgedBytes() {
        Map<LogId, Long> bytes = new HashMap<>();
        partitions.forEach(
                (id, partition) -> partition.served().ifPresent(log -> bytes.put(id, log.acknowledgedBytes())));
        return bytes;
    }

    /** Shows each log that this server answers reads from. */
    public void forEachReadable(BiConsumer<LogId, PartitionLog> visitor) {
        partitions.forEach((id, partition) -> partition.read().ifPresent(log -> visitor.accept(id, log)));
    }

    /** Returns the number of partitions in each state that operators see. */
    public SortedMap<String, Long> states() {
        SortedMap<String, Long> states = new TreeMap<>();
        for (State state : List.of(State.OPENING, State.SERVING, State.FAILED)) {
            states.put(state.name().toLowerCase(Locale.ROOT), count(state));
        }
        return states;
    }

    /** Returns the number of partitions that are being opened, including takeovers. */
    public long opening() {
        return count(State.OPENING);
    }

    /** Returns whether this server has the partition, even if it does not serve it: it may be opening or closing it. */
    public boolean has(LogId id) {
        return partitions.containsKey(id);
    }

    /** Returns the log of a partition that this server serves now. */
    public Optional<PartitionLog> serving(LogId id) {
        return Optional.ofNullable(partitions.get(id)).flatMap(Partition::served);
    }

    /** Returns the log of a partition from which this server answers reads now: also one that has failed. */
    public Optional<PartitionLog> readable(LogId id) {
        return Optional.ofNullable(partitions.get(id)).flatMap(Partition::read);
    }

    /** Opens the partitions that are not here yet, and waits until each is served or has failed once. Blocks. */
    public void open(Collection<LogId> ids) {
        List<CompletableFuture<Void>> opened = new ArrayList<>();
        for (LogId id : ids) {
            Partition added = new Partition(id);
            if (partitions.putIfAbsent(id, added) == null) {
                opener.begin(added);
                opened.add(added.settled());
            }
        }
        CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).join();
    }

    /**
     * Opens or closes partitions as the coordinator decides, on other threads. A loss is followed at once, whatever an
     * earlier opening waits for; a gain once the loss before it is complete.
     */
    public void follow(OwnershipChange change) {
        LogId id = new LogId(change.topicId(), change.partition());
        CompletableFuture<Void> done = following.compute(id, (same, before) -> {
            CompletableFuture<Void> last = before == null ? CompletableFuture.completedFuture(null) : before;
            return last.thenCompose(nothing -> apply(id, change)).exceptionally(error -> {
                LOG.error("ownership change failed partition={} owned={}", id, change.owned(), error);
                return null;
            });
        });
        var unused = done.thenRun(() -> following.remove(id, done));
    }

    /** Completes once all changes of these partitions have been applied, have failed, or wait for another owner. */
    public CompletableFuture<Void> followed(Collection<LogId> ids) {
        return CompletableFuture.allOf(ids.stream()
                .map(id -> changes(id).thenCompose(applied -> settled(id)))
                .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> settled(LogId id) {
        Partition partition = partitions.get(id);
        return partition == null ? CompletableFuture.completedFuture(null) : partition.settled();
    }

    private CompletableFuture<Void> changes(LogId id) {
        return following.getOrDefault(id, CompletableFuture.completedFuture(null));
    }

    /** Does not block: partitions that wait for storage do not delay changes of others. */
    private CompletableFuture<Void> apply(LogId id, OwnershipChange change) {
        if (!change.owned()) {
            return lose(id);
        }
        Partition added = new Partition(id);
        if (!closing && partitions.putIfAbsent(id, added) == null) {
            opener.begin(added);
        }
        return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> lose(LogId id) {
        Partition lost = partitions.get(id);
        if (lost == null) {
            ownership.released(id);
            return CompletableFuture.completedFuture(null);
        }
        lost.close("given to another server").ifPresent(closer::handOver);
        return lost.ended().thenRun(() -> {
            partitions.remove(id, lost);
            ownership.released(id);
        });
    }

    /**
     * Closes and deletes partitions of a deleted topic, with all their messages. Nothing is deleted before all logs are
     * closed, without a seal. Blocks, for their closing up to 10 s; may be repeated.
     *
     * @throws StorageException UNAVAILABLE: some are not deleted, or a log is still being closed
     */
    public void delete(String topicId, int count) throws StorageException, MetadataException {
        List<LogId> ids = LogId.all(topicId, count);
        ids.forEach(id -> {
            var unused = discard(id); // openings in progress give up
        });
        await(ids.stream().map(this::changes), topicId);
        await(ids.stream().map(this::discard), topicId); // a change that had waited may have begun to open one
        for (LogId id : ids) {
            partitions.remove(id);
            rows.delete(id.topicId(), id.partition()); // first: files without a row are garbage
            store.deleteLog(id);
        }
    }

    private CompletableFuture<Void> discard(LogId id) {
        Partition partition = partitions.get(id);
        if (partition == null) {
            return CompletableFuture.completedFuture(null);
        }
        partition.close("topic deleted").ifPresent(closer::discard);
        return partition.ended();
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

    /** Deletes expired messages of a partition that is served here; as {@link PartitionLog#retain}. Blocks. */
    public Retention.Signs retain(LogId id, Retention limits) {
        return serving(id).map(log -> log.retain(limits)).orElse(Retention.Signs.NONE);
    }

    /** Returns the clock of the messages' timestamps, by which their ages must be measured. */
    public SteadyClock clock() {
        return parts.clock();
    }

    /** As {@link SegmentStore#appendsWait}. */
    public boolean appendsWait() {
        return store.appendsWait();
    }

    /** Returns the number of served partitions, for the log. */
    public String summary() {
        return count(State.SERVING) + " of " + partitions.size();
    }

    /** Shows operators the number of partitions in each state, and warns of those that cannot be served. */
    public void show(LogMetrics metrics, Readiness readiness) {
        for (State state : List.of(State.OPENING, State.SERVING, State.FAILED)) {
            metrics.watchPartitions(state.name().toLowerCase(Locale.ROOT), () -> shown(state));
        }
        readiness.warn("partitions", () -> {
            long failed = shown(State.FAILED);
            return failed == 0
                    ? Optional.empty()
                    : Optional.of(failed + " of " + partitions.size()
                            + " are not served, or not all of their messages: damaged, or their storage fails; the log"
                            + " names them");
        });
    }

    /**
     * Returns the number of partitions that operators see in a state. A partition that is served with damage counts as
     * failed, too.
     */
    private long shown(State state) {
        return count(state) + (state == State.FAILED ? withDamage() : 0);
    }

    private long withDamage() {
        return partitions.values().stream()
                .filter(partition -> !partition.is(State.FAILED))
                .filter(partition ->
                        partition.served().map(PartitionLog::hasDamage).orElse(false))
                .count();
    }

    private long count(State state) {
        return partitions.values().stream()
                .filter(partition -> partition.is(state))
                .count();
    }

    /**
     * Closes every partition after its requests in flight have ended. Partitions that hang are left to the next
     * opening, and those that are being opened to the end of the store. May be called twice.
     */
    @Override
    public void close() {
        if (!closing) {
            LOG.info("closing partitions, the server stops partitions={}", partitions.size());
        }
        closing = true;
        opener.stop();
        closer.stop();
        CompletableFuture<?>[] ends = partitions.values().stream()
                .flatMap(partition -> {
                    boolean open =
                            partition.isOpen(); // a log that is handed over must be sealed while the store is open
                    partition.close(Partition.SERVER_STOPS).ifPresent(closer::close);
                    return open ? Stream.of(partition.ended()) : Stream.empty();
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
