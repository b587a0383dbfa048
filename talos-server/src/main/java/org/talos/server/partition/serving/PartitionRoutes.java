// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.log.LogFailures;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * The route to each partition: this server itself, or the server that serves it, by one forwarded request.
 *
 * <p>Thread-safe.
 */
public final class PartitionRoutes {
    private static final Duration SOON = Duration.ofSeconds(5);

    private final Coordinator coordinator;
    private final PartitionRequests here;
    private final MessageReads reads;
    private final Function<ClusterMember, PartitionRequests> there;
    private final AwaitedEnds awaited;
    private final Ticker ticker;

    /**
     * Routes by the coordinator's view at the time of each request.
     *
     * @param reads of this server
     * @param there how to ask another one
     * @param waits ends reads that wait there
     */
    public PartitionRoutes(
            Coordinator coordinator,
            PartitionRequests here,
            MessageReads reads,
            Function<ClusterMember, PartitionRequests> there,
            Ticker ticker,
            LongWaits waits) {
        this.coordinator = coordinator;
        this.here = here;
        this.reads = reads;
        this.ticker = ticker;
        this.there = member -> new ForwardedWaits(
                there.apply(member), waits, ticker, untilNanos -> reads.awaitAny(Map.of(), untilNanos));
        awaited = new AwaitedEnds(this.there, ticker);
    }

    /**
     * The server to ask. Immutable.
     *
     * @param transferred answered by another server, to which the client should connect next time
     */
    public record Route(PartitionRequests to, boolean transferred) {}

    /**
     * Returns the way to a partition now.
     *
     * @throws TalosException PARTITION_NOT_SERVING: no server serves it
     */
    public Route to(LogId id) {
        Location place = coordinator.locate(id.topicId(), id.partition());
        return new Route(at(place), !(place instanceof Location.Here));
    }

    private PartitionRequests at(Location place) {
        if (place instanceof Location.Here) {
            return here;
        }
        if (place instanceof Location.There other) {
            return there.apply(other.server());
        }
        throw LogFailures.notServing();
    }

    private static Map<LogId, LogBounds> served(Map<LogId, LogBounds> found) {
        Map<LogId, LogBounds> served = new HashMap<>(found);
        served.values().removeIf(LogBounds.NOT_SERVED::equals);
        return served;
    }

    /** Replaces the failure of an unreachable server by an empty answer: such a server serves nothing. */
    private static Map<LogId, LogBounds> nothingIfAway(Throwable error) {
        if (isAway(error)) {
            return Map.of();
        }
        throw Failures.of(error);
    }

    /** The same for a server that does not answer in time, or for which too many requests already wait. */
    private static Map<LogId, LogBounds> nothingIfSilent(Throwable error) {
        ErrorCode code = Failures.of(error).code();
        return code == ErrorCode.REQUEST_PROCESS_TIMEOUT || code == ErrorCode.EXCESSIVE_PENDING_MESSAGE
                ? Map.of()
                : nothingIfAway(error);
    }

    /** Returns all other servers that are alive. */
    List<PartitionRequests> others() {
        return coordinator.others().stream().map(there).toList();
    }

    /** Another server, if one serves it. */
    Optional<PartitionRequests> elsewhere(LogId id) {
        return coordinator.locate(id.topicId(), id.partition()) instanceof Location.There other
                ? Optional.of(there.apply(other.server()))
                : Optional.empty();
    }

    /** Returns whether another server serves any of the logs, so that {@link #bounds} asks it. */
    public boolean isAnyElsewhere(Collection<LogId> ids) {
        return ids.stream().anyMatch(id -> coordinator.locate(id.topicId(), id.partition()) instanceof Location.There);
    }

    /** Returns the ends of all served logs, with one request per server. */
    public CompletionStage<Map<LogId, LogBounds>> bounds(Collection<LogId> ids, ForwardContext forward) {
        return bounds(ids, forward, PartitionRoutes::nothingIfAway);
    }

    /**
     * Like {@link #bounds}, for callers that continue without servers that do not answer soon: those count as serving
     * nothing.
     *
     * @param patience waited for at most, if shorter than is usual
     */
    public CompletionStage<Map<LogId, LogBounds>> boundsSoon(Collection<LogId> ids, String caller, Duration patience) {
        long wait = Math.min(patience.toNanos(), SOON.toNanos());
        return boundsSoon(ids, new ForwardContext(caller, ticker.nanos() + wait));
    }

    /** Like that, with the usual patience. */
    public CompletionStage<Map<LogId, LogBounds>> boundsSoon(Collection<LogId> ids, String caller) {
        return boundsSoon(ids, caller, SOON);
    }

    /** Does the same, by the deadline of a call if that is sooner. */
    public CompletionStage<Map<LogId, LogBounds>> boundsSoon(Collection<LogId> ids, ForwardContext forward) {
        return bounds(ids, soon(forward, SOON), PartitionRoutes::nothingIfSilent);
    }

    private CompletionStage<Map<LogId, LogBounds>> bounds(
            Collection<LogId> ids, ForwardContext forward, Function<Throwable, Map<LogId, LogBounds>> ifFailed) {
        Map<Location, List<LogId>> byPlace = new HashMap<>();
        for (LogId id : ids) {
            byPlace.computeIfAbsent(coordinator.locate(id.topicId(), id.partition()), place -> new ArrayList<>())
                    .add(id);
        }
        CompletionStage<Map<LogId, LogBounds>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (Map.Entry<Location, List<LogId>> each : byPlace.entrySet()) {
            if (each.getKey() instanceof Location.Nowhere) {
                continue;
            }
            CompletionStage<Map<LogId, LogBounds>> some = at(each.getKey())
                    .bounds(each.getValue(), forward)
                    .thenApply(PartitionRoutes::served)
                    .exceptionally(ifFailed);
            all = all.thenCombine(some, (found, more) -> {
                found.putAll(more);
                return found;
            });
        }
        return all;
    }

    /**
     * Ends of one log.
     *
     * @return completes with PARTITION_NOT_SERVING if no server serves it
     */
    public CompletionStage<LogBounds> bounds(LogId id, ForwardContext forward) {
        return bounds(List.of(id), forward).thenApply(found -> served(found, id));
    }

    /** Returns the bounds of one log among those found; fails with PARTITION_NOT_SERVING if it is not among them. */
    public static LogBounds served(Map<LogId, LogBounds> found, LogId id) {
        LogBounds bounds = found.get(id);
        if (bounds == null) {
            throw LogFailures.notServing();
        }
        return bounds;
    }

    /** Returns the first offset that was appended at or after a time. */
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return to(id).to().offsetAtTime(id, timeMillis, forward);
    }

    /** Returns the forward context of a request without a deadline of its own. */
    public ForwardContext soon(String caller) {
        return new ForwardContext(caller, ticker.nanos() + SOON.toNanos());
    }

    /**
     * Returns the same request for callers that continue without servers that do not answer soon, or within their
     * patience.
     */
    public ForwardContext soon(ForwardContext forward, Duration patience) {
        long soonest = ticker.nanos() + Math.min(patience.toNanos(), SOON.toNanos());
        return forward.until(Math.min(forward.deadlineNanos(), soonest));
    }

    /**
     * Completes once any of the logs has a message at or behind its offset, or is served elsewhere; at the latest at
     * the instant.
     */
    public CompletionStage<@Nullable Void> awaitAny(Map<LogId, Long> ends, long untilNanos, String caller) {
        Map<LogId, Long> local = new HashMap<>();
        Map<ClusterMember, Map<LogId, Long>> remote = new HashMap<>();
        ends.forEach((id, offset) -> {
            Map<LogId, Long> of = coordinator.locate(id.topicId(), id.partition()) instanceof Location.There other
                    ? remote.computeIfAbsent(other.server(), each -> new HashMap<>())
                    : local;
            of.put(id, offset);
        });
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        remote.forEach((server, of) -> awaited.await(new AwaitedEnds.Source(server, caller), of, untilNanos, result));
        reads.awaitAny(local, untilNanos).whenComplete((over, error) -> end(result, error));
        return result;
    }

    /** Returns whether the partition is not served there; a waiting reader then tries again and gets that failure. */
    static boolean isAway(Throwable error) {
        return Failures.of(error).code() == ErrorCode.PARTITION_NOT_SERVING;
    }

    private static void end(CompletableFuture<@Nullable Void> result, @Nullable Throwable error) {
        if (error == null) {
            result.complete(null);
        } else {
            result.completeExceptionally(error);
        }
    }
}
