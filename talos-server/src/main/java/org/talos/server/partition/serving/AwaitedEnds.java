// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Waits for the ends of logs at other servers, with one request for all ends of a reader at a server. Readers of one
 * user that wait for the same end share its request. The request stays when a reader has found something elsewhere,
 * until the reader comes back: a reader that polls ten times a second would otherwise leave many requests at other
 * servers.
 *
 * <p>Where a request is refused for lack of room, readers rely on their own timers. Earlier versions do not know a
 * request for several ends; they get a waiting read for each.
 *
 * <p>Thread-safe.
 */
final class AwaitedEnds {
    private static final BlockLimits LEAST = new BlockLimits(1, 1);
    /** The time for an empty answer: readers that join later must not suffer from its delay. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Function<ClusterMember, PartitionRequests> there;
    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<End, Set<Reader>> waiting = new HashMap<>(); // has each end with a request in flight

    AwaitedEnds(Function<ClusterMember, PartitionRequests> there, Ticker ticker) {
        this.there = there;
        this.ticker = ticker;
    }

    /** A server, and the user on whose behalf it is asked: limits on the way are shared by user. Immutable. */
    record Source(ClusterMember server, String user) {}

    /** A log of another server, and the offset that has no message yet. Immutable. */
    private record End(Source source, LogId id, long offset) {}

    /** A waiting reader. Immutable; equal only to itself. */
    private static final class Reader {
        private final long untilNanos;
        private final CompletableFuture<@Nullable Void> result;

        private Reader(long untilNanos, CompletableFuture<@Nullable Void> result) {
            this.untilNanos = untilNanos;
            this.result = result;
        }
    }

    /**
     * Completes the result once any log has a message at or behind its offset, or is served elsewhere, or its server
     * does not answer; fails it if a log cannot be read. After the instant it does nothing more.
     */
    void await(Source source, Map<LogId, Long> offsets, long untilNanos, CompletableFuture<@Nullable Void> result) {
        Reader reader = new Reader(untilNanos, result);
        Set<End> ends = new HashSet<>();
        offsets.forEach((id, offset) -> ends.add(new End(source, id, offset)));
        ask(source, add(reader, ends), untilNanos);
        var unused = result.whenComplete((done, error) -> remove(reader, ends));
    }

    /** Returns the ends that were not queried yet. */
    private synchronized Set<End> add(Reader reader, Set<End> ends) {
        Set<End> fresh = new HashSet<>();
        for (End end : ends) {
            waiting.computeIfAbsent(end, each -> {
                        fresh.add(each);
                        return new LinkedHashSet<>();
                    })
                    .add(reader);
        }
        return fresh;
    }

    private synchronized void remove(Reader reader, Set<End> ends) {
        for (End end : ends) {
            Set<Reader> readers = waiting.get(end);
            if (readers != null) {
                readers.remove(reader); // the request stays: a reader will soon wait for the same end
            }
        }
    }

    private void ask(Source source, Set<End> ends, long untilNanos) {
        if (ends.size() <= 1) {
            ends.forEach(end -> askAlone(end, untilNanos));
            return;
        }
        Map<LogId, Long> offsets = new HashMap<>();
        ends.forEach(end -> offsets.put(end.id, end.offset)); // all of one reader: none twice
        var unused = asked(() -> there.apply(source.server)
                        .awaitAny(offsets, waitNanos(untilNanos), context(source, untilNanos)))
                .whenComplete((found, error) -> {
                    if (error == null) {
                        answered(source, ends, found, untilNanos);
                    } else if (ForwardedWaits.isRefused(error)) {
                        answered(source, ends, Set.of(), untilNanos);
                    } else if (endsNothing(error)) {
                        over(ends, null);
                    } else { // each has a failure of its own, or the server is an earlier version
                        ends.forEach(end -> askAlone(end, untilNanos));
                    }
                });
    }

    private void askAlone(End end, long untilNanos) {
        ReadRequest read = new ReadRequest(end.offset, LEAST, 1, waitNanos(untilNanos));
        Set<End> ends = Set.of(end);
        var unused = asked(() -> there.apply(end.source.server).read(end.id, read, context(end.source, untilNanos)))
                .whenComplete((slice, error) -> {
                    if (error == null ? isEmpty(slice) : ForwardedWaits.isRefused(error)) {
                        answered(end.source, ends, Set.of(), untilNanos);
                    } else {
                        over(ends, error == null || endsNothing(error) ? null : error);
                    }
                });
    }

    private static boolean isEmpty(Slice slice) {
        return slice.blocks().isEmpty();
    }

    private static <R> CompletionStage<R> asked(Supplier<CompletionStage<R>> request) {
        try {
            return request.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private long waitNanos(long untilNanos) {
        return Math.max(0, untilNanos - ticker.nanos());
    }

    private static ForwardContext context(Source source, long untilNanos) {
        return new ForwardContext(source.user, untilNanos + ANSWER_NANOS);
    }

    /** Wakes the readers of the ends that were found, and waits longer for the rest. */
    private void answered(Source source, Set<End> ends, Set<LogId> found, long askedUntilNanos) {
        Set<End> rest = new HashSet<>(ends);
        rest.removeIf(end -> found.contains(end.id));
        Set<End> over = new HashSet<>(ends);
        over.removeAll(rest);
        over(over, null);
        Set<End> still = new HashSet<>();
        long longest = longest(rest, still, over.isEmpty() ? askedUntilNanos : ticker.nanos());
        ask(source, still, longest);
    }

    /**
     * Finds the ends to query again: those of readers that wait beyond an instant. The time of all other readers is
     * over, and they know it. After an answer that found nothing, only readers that came later and wait longer count: a
     * server that answers too early is not queried again and again.
     *
     * @return until when the last of them waits
     */
    private synchronized long longest(Set<End> ends, Set<End> still, long beyondNanos) {
        long now = ticker.nanos();
        long longest = now;
        for (End end : ends) {
            boolean awaited = false;
            for (Reader reader : waiting.getOrDefault(end, Set.of())) {
                if (reader.untilNanos - beyondNanos > 0 && reader.untilNanos - now > 0) {
                    awaited = true;
                    longest = reader.untilNanos - longest > 0 ? reader.untilNanos : longest;
                }
            }
            if (awaited) {
                still.add(end);
            } else {
                waiting.remove(end);
            }
        }
        return longest;
    }

    private void over(Collection<End> ends, @Nullable Throwable error) {
        Set<Reader> readers = new LinkedHashSet<>();
        synchronized (this) {
            for (End end : ends) {
                Set<Reader> found = waiting.remove(end);
                readers.addAll(found == null ? Set.of() : found);
            }
        }
        for (Reader reader : List.copyOf(readers)) {
            if (error == null) {
                reader.result.complete(null);
            } else {
                reader.result.completeExceptionally(error);
            }
        }
    }

    /**
     * Returns whether it only says that the log has another server by now, or has not answered for longer than any
     * reader waits.
     */
    private static boolean endsNothing(Throwable error) {
        return PartitionRoutes.isAway(error) || Failures.of(error).code() == ErrorCode.REQUEST_PROCESS_TIMEOUT;
    }
}
