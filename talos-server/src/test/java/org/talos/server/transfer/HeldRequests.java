// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.Request;

/**
 * The partitions of a server, whose answers a test gives by hand. Closed, it fails all that has no answer, for which
 * the server's stop would wait. Thread-safe.
 */
public final class HeldRequests implements PartitionRequests, AutoCloseable {
    private final BlockingQueue<Held> held = new LinkedBlockingQueue<>();
    private final Queue<CompletableFuture<Object>> answers = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /** A request, and the future that answers it. */
    public record Held(String method, Object subject, ForwardContext context, CompletableFuture<Object> answer) {}

    /** The next request. */
    public Held next() throws InterruptedException {
        Held next = held.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no request came");
        }
        return next;
    }

    /** Answers all requests that were not taken with {@link #next}. */
    public void answerHeld(Object answer) {
        for (Held each = held.poll(); each != null; each = held.poll()) {
            each.answer.complete(answer);
        }
    }

    public boolean nothingAsked() {
        return held.isEmpty();
    }

    @SuppressWarnings("unchecked")
    private <R> CompletionStage<R> hold(String method, Object subject, ForwardContext context) {
        Held each = new Held(method, subject, context, new CompletableFuture<>());
        answers.add(each.answer);
        held.add(each);
        if (closed) {
            each.answer.cancel(false);
        }
        return (CompletionStage<R>) each.answer;
    }

    @Override
    public void close() {
        closed = true;
        answers.forEach(each -> each.cancel(false));
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext context) {
        return hold(Request.PUT, put, context);
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext context) {
        return hold(Request.READ, read, context);
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext context) {
        return hold(Request.AWAIT, ends, context);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext context) {
        return hold(Request.BOUNDS, ids, context);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext context) {
        return hold(Request.OFFSET_AT_TIME, timeMillis, context);
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext context) {
        return hold(Request.DELETE, deletion, context);
    }
}
