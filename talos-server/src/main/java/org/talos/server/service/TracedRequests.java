// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.talos.server.log.Block;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Trace;
import org.talos.server.tracing.Tracing;
import org.talos.server.tracing.Tracing.Subject;
import org.talos.server.tracing.Tracing.Work;

/**
 * The requests of other servers to this one. Puts and gets have spans below those of the requesting server. Topics are
 * named by their ids, as such a request has no more.
 *
 * <p>Thread-safe.
 */
final class TracedRequests implements PartitionRequests {
    private final PartitionRequests requests;
    private final Tracing tracing;

    TracedRequests(PartitionRequests requests, Tracing tracing) {
        this.requests = requests;
        this.tracing = tracing;
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        int messages = put.blocks().stream().mapToInt(Block::messages).sum();
        return tracing.within(
                new Subject(Work.PUT, id.topicId(), id.partition(), messages),
                Trace.current(),
                () -> requests.put(id, put, forward));
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        return tracing.within(
                new Subject(Work.GET, id.topicId(), id.partition(), -1),
                Trace.current(),
                () -> requests.read(id, read, forward));
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        return requests.awaitAny(ends, waitNanos, forward);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return requests.bounds(ids, forward);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return requests.offsetAtTime(id, timeMillis, forward);
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
        return requests.delete(id, deletion, forward);
    }
}
