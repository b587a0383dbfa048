// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.storage.LogId;

/**
 * Requests to another server, of which those that wait are sent once more without a wait when this server stops: it
 * can't end a wait there.
 *
 * <p>Thread-safe.
 */
record ForwardedWaits(PartitionRequests to, LongWaits waits) implements PartitionRequests {
    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        return to.put(id, put, forward);
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        ReadRequest now = waits.areOver() ? read.withoutWaiting() : read;
        if (now.waitNanos() <= 0) {
            return to.read(id, now, forward);
        }
        CompletableFuture<Slice> result = new CompletableFuture<>();
        end(to.read(id, read, forward), result);
        waits.onEnd(result, () -> end(to.read(id, read.withoutWaiting(), forward), result));
        return result;
    }

    private static void end(CompletionStage<Slice> read, CompletableFuture<Slice> result) {
        var unused = read.whenComplete((slice, error) -> {
            if (error == null) {
                result.complete(slice);
            } else {
                result.completeExceptionally(error);
            }
        });
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return to.bounds(ids, forward);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return to.offsetAtTime(id, timeMillis, forward);
    }
}
