// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Waits for the ends of logs at other servers. All who wait for the same share one request, and it goes on when they
 * have found something elsewhere, so that it is there when they come back: a reader of a hundred partitions that comes
 * ten times a second would else have thousands of requests waiting at other servers.
 *
 * <p>Thread-safe.
 */
final class AwaitedEnds {
    private static final BlockLimits LEAST = new BlockLimits(1, 1);
    /** For the answer that there is nothing: whoever joins meanwhile is not to suffer from its being late. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Function<ClusterMember, PartitionRequests> there;
    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<End, Set<Reader>> waiting = new HashMap<>(); // has each end for which a request is under way

    AwaitedEnds(Function<ClusterMember, PartitionRequests> there, Ticker ticker) {
        this.there = there;
        this.ticker = ticker;
    }

    /** A log that another server serves, and the offset that has no message yet. Immutable. */
    record End(ClusterMember server, LogId id, long offset) {}

    /** One who waits. Immutable; equal to itself only. */
    private static final class Reader {
        private final long untilNanos;
        private final String caller;
        private final CompletableFuture<@Nullable Void> result;

        private Reader(long untilNanos, String caller, CompletableFuture<@Nullable Void> result) {
            this.untilNanos = untilNanos;
            this.caller = caller;
            this.result = result;
        }
    }

    /**
     * Completes the result once there is a message, or the log is served elsewhere, or its server does not answer;
     * fails it if the log can't be read. After the instant it does nothing more.
     */
    void await(End end, long untilNanos, String caller, CompletableFuture<@Nullable Void> result) {
        Reader reader = new Reader(untilNanos, caller, result);
        boolean first;
        synchronized (this) {
            Set<Reader> readers = waiting.get(end);
            first = readers == null;
            if (readers == null) {
                readers = new LinkedHashSet<>();
                waiting.put(end, readers);
            }
            readers.add(reader);
        }
        if (first) {
            ask(end, reader);
        }
        var unused = result.whenComplete((done, error) -> remove(end, reader));
    }

    private synchronized void remove(End end, Reader reader) {
        Set<Reader> readers = waiting.get(end);
        if (readers != null) {
            readers.remove(reader); // the request stays: somebody will soon wait for the same
        }
    }

    private void ask(End end, Reader reader) {
        long wait = Math.max(0, reader.untilNanos - ticker.nanos());
        ForwardContext context = new ForwardContext(reader.caller, reader.untilNanos + ANSWER_NANOS);
        CompletionStage<Slice> answer;
        try {
            answer = there.apply(end.server).read(end.id, new ReadRequest(end.offset, LEAST, 1, wait), context);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        var unused = answer.whenComplete((slice, error) -> {
            if (error == null && slice.blocks().isEmpty()) {
                waitLonger(end, reader.untilNanos);
            } else {
                over(end, error);
            }
        });
    }

    /** Asks again for those who came later and wait longer; the time of all others is over, and they know it. */
    private void waitLonger(End end, long askedUntilNanos) {
        long now = ticker.nanos();
        Optional<Reader> last;
        synchronized (this) {
            Set<Reader> readers = waiting.getOrDefault(end, Set.of());
            last = readers.stream()
                    .filter(reader -> reader.untilNanos - askedUntilNanos > 0 && reader.untilNanos - now > 0)
                    .max(Comparator.comparingLong(reader -> reader.untilNanos - askedUntilNanos));
            if (last.isEmpty()) {
                waiting.remove(end);
            }
        }
        last.ifPresent(reader -> ask(end, reader));
    }

    private void over(End end, @Nullable Throwable error) {
        Set<Reader> readers;
        synchronized (this) {
            Set<Reader> found = waiting.remove(end);
            readers = found == null ? Set.of() : found;
        }
        Consumer<CompletableFuture<@Nullable Void>> ending = error == null || endsNothing(error)
                ? each -> each.complete(null)
                : each -> each.completeExceptionally(error);
        List.copyOf(readers).forEach(reader -> ending.accept(reader.result));
    }

    /**
     * Whether it only says that the log's server is another by now, or has not answered for longer than anybody waits.
     */
    private static boolean endsNothing(Throwable error) {
        return PartitionRoutes.isAway(error) || Failures.of(error).code() == ErrorCode.REQUEST_PROCESS_TIMEOUT;
    }
}
