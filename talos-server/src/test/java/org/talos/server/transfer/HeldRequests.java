// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.Request;

/** A server's own partitions, which answer when and what the test says. Thread-safe. */
final class HeldRequests implements PartitionRequests {
    private final BlockingQueue<Held> held = new LinkedBlockingQueue<>();

    /** What was asked, and the answer to it. */
    record Held(String method, Object subject, ForwardContext hop, CompletableFuture<Object> answer) {}

    /** The next that was asked. */
    Held next() throws InterruptedException {
        Held next = held.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing was asked");
        }
        return next;
    }

    /** Answers what nobody has taken with {@link #next}. */
    void answerHeld(Object answer) {
        for (Held each = held.poll(); each != null; each = held.poll()) {
            each.answer.complete(answer);
        }
    }

    boolean nothingAsked() {
        return held.isEmpty();
    }

    @SuppressWarnings("unchecked")
    private <R> CompletionStage<R> hold(String method, Object subject, ForwardContext hop) {
        Held each = new Held(method, subject, hop, new CompletableFuture<>());
        held.add(each);
        return (CompletionStage<R>) each.answer;
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext hop) {
        return hold(Request.PUT, put, hop);
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext hop) {
        return hold(Request.READ, read, hop);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext hop) {
        return hold(Request.BOUNDS, ids, hop);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext hop) {
        return hold(Request.OFFSET_AT_TIME, timeMillis, hop);
    }
}
