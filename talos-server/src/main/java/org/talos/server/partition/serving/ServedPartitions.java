// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.Coordinator;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.thrift.ErrorCode;

/**
 * The partitions of all servers, for calls about topics. The figures of other servers' partitions are queried
 * regularly, and are as old as the last query.
 *
 * <p>Thread-safe; all but figures block.
 */
public final class ServedPartitions implements TopicPartitions {
    private static final String SELF = "server";
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final long PAUSE_NANOS = 20_000_000;
    private static final int PARTITIONS_OF_ROUND = 5_000;

    private final PartitionManager partitions;
    private final Coordinator coordinator;
    private final PartitionRoutes routes;
    private final TimerWheel timers;
    private final Ticker ticker;
    private final OthersBounds elsewhere = new OthersBounds();
    private final RefreshTurns turns = new RefreshTurns(PARTITIONS_OF_ROUND);

    public ServedPartitions(
            PartitionManager partitions,
            Coordinator coordinator,
            PartitionRoutes routes,
            TimerWheel timers,
            Ticker ticker) {
        this.partitions = partitions;
        this.coordinator = coordinator;
        this.routes = routes;
        this.timers = timers;
        this.ticker = ticker;
    }

    @Override
    public void open(TopicRecord topic) {
        coordinator.topicChanged(topic.topicId(), topic.partitions());
        List<LogId> ids = LogId.all(topic.topicId(), topic.partitions());
        awaitInTime(partitions.followed(ids));
        if (!await(() -> now(routes.bounds(ids, forward())).size() == ids.size())) {
            throw LogFailures.notServing();
        }
    }

    private static <T> T now(CompletionStage<T> asked) {
        try {
            return asked.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw Failures.of(e);
        }
    }

    private ForwardContext forward() {
        return new ForwardContext(SELF, ticker.nanos() + PATIENCE_NANOS);
    }

    /** Polls until the condition holds; returns false if it did not in time. */
    private boolean await(BooleanSupplier condition) {
        long until = ticker.nanos() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (ticker.nanos() - until > 0) {
                return false;
            }
            pause(PAUSE_NANOS, new CompletableFuture<>());
        }
        return true;
    }

    /** Waits for it like for any other: it may itself wait for the storage of others. */
    private void awaitInTime(CompletableFuture<?> done) {
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        var unused = done.whenComplete((nothing, error) -> over.complete(null));
        pause(PATIENCE_NANOS, over);
    }

    private void pause(long nanos, CompletableFuture<@Nullable Void> over) {
        TimerWheel.Timeout end = timers.schedule(ticker.nanos() + nanos, () -> over.complete(null));
        over.join();
        end.cancel();
    }

    /**
     * Deletes a topic's partitions once all servers have closed them: a writer whose files vanish would fail. All
     * servers are asked, even if an earlier attempt has already notified them.
     */
    @Override
    public void delete(DeletedTopic topic) {
        List<LogId> ids = LogId.all(topic.topicId(), topic.partitions());
        List<PartitionRequests> others = new ArrayList<>(routes.others());
        coordinator.topicChanged(topic.topicId(), 0);
        if (!await(() -> {
            others.removeIf(other -> isReleased(other, ids));
            return others.isEmpty();
        })) {
            throw LogFailures.notServing();
        }
        try {
            partitions.delete(topic.topicId(), topic.partitions());
        } catch (StorageException e) {
            throw LogFailures.ofUse(e);
        } catch (MetadataException e) {
            throw Failures.of(e);
        }
    }

    /**
     * Returns whether another server has none of the partitions any more, closed or not. A server that cannot be
     * reached counts as having none: a takeover fences its files.
     */
    private boolean isReleased(PartitionRequests other, List<LogId> ids) {
        try {
            return other.bounds(ids, forward()).toCompletableFuture().join().isEmpty();
        } catch (CompletionException e) {
            return Failures.of(e).code() == ErrorCode.PARTITION_NOT_SERVING;
        }
    }

    @Override
    public void refresh(TopicRecord topic) {
        List<LogId> others = elsewhere(topic);
        if (!others.isEmpty()) {
            elsewhere.add(now(routes.boundsSoon(others, SELF)), ticker.nanos());
        }
    }

    private List<LogId> elsewhere(TopicRecord topic) {
        return LogId.all(topic.topicId(), topic.partitions()).stream()
                .filter(id -> routes.elsewhere(id).isPresent())
                .toList();
    }

    /**
     * Like {@link #refresh(TopicRecord)}, for some topics and, in turn, for all others; forgets partitions that no
     * server serves any more. Blocks. One caller at a time.
     *
     * @param always topics that are queried in each round: those whose space has a limit
     */
    public void refresh(Collection<TopicRecord> always, TopicDirectory directory) {
        Collection<TopicRecord> all = directory.all();
        List<TopicRecord> asked = turns.next(always, all);
        List<LogId> others =
                asked.stream().flatMap(topic -> elsewhere(topic).stream()).toList();
        Map<LogId, LogBounds> found = others.isEmpty() ? Map.of() : now(routes.bounds(others, forward()));
        elsewhere.replace(asked, found, all, ticker.nanos());
    }

    /** Bytes that were put and have expired are no longer counted: their number is not kept. */
    @Override
    public PartitionFigures figures(String topicId, int partition) {
        LogBounds bounds =
                seen(new LogId(topicId, partition)).map(SeenBounds::bounds).orElseThrow(LogFailures::notServing);
        return new PartitionFigures(
                bounds.start(),
                bounds.end(),
                bounds.messagesFrom(bounds.start()),
                bounds.bytes(),
                bounds.messagesEver(),
                bounds.bytes());
    }

    @Override
    public Optional<SeenBounds> seen(LogId id) {
        return partitions
                .readable(id)
                .map(log -> new SeenBounds(LocalPartitions.bounds(log), ticker.nanos()))
                .or(() -> Optional.ofNullable(elsewhere.find(id)));
    }
}
