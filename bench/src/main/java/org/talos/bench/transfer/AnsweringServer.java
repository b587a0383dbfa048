// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/**
 * The owner's end of a transfer, which answers each put after a delay and stores nothing, so that only forwarding is
 * measured. Thread-safe.
 */
final class AnsweringServer implements PartitionRequests {
    private static final AppendResult STORED = new AppendResult(0, AnsweringServer::nobodyAsks);

    private final Duration after;
    private final TimerWheel timers;
    private final Ticker ticker;

    AnsweringServer(Duration after, TimerWheel timers, Ticker ticker) {
        this.after = after;
        this.timers = timers;
        this.ticker = ticker;
    }

    private static void nobodyAsks() {
        // no log that would remember the put
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext context) {
        if (after.isZero()) {
            return CompletableFuture.completedFuture(STORED);
        }
        CompletableFuture<AppendResult> answer = new CompletableFuture<>();
        var unused = timers.schedule(ticker.nanos() + after.toNanos(), () -> answer.complete(STORED));
        return answer;
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext context) {
        return notMeasured();
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext context) {
        return notMeasured();
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext context) {
        return notMeasured();
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext context) {
        return notMeasured();
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext context) {
        return notMeasured();
    }

    private static <R> CompletionStage<R> notMeasured() {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("only puts are measured"));
    }
}
