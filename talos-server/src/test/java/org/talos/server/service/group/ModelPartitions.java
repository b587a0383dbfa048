// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.Block;
import org.talos.server.log.Deletion;
import org.talos.server.log.LogFailures;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.simulation.fiber.FiberMachine;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * The topic's partitions as a server asks another one for them: answers take their time, and may come too late.
 *
 * <p>Confined: as {@link org.talos.server.simulation.fiber.Fibers}.
 *
 * @param from the server that asks
 */
record ModelPartitions(GroupWorld world, FiberMachine from) implements PartitionRequests {
    private static final long POLL_NANOS = 100 * GroupWorld.MILLI;
    private static final ByteBuffer MESSAGE = ByteBuffer.allocate(1);

    /** Answers with the stored messages of a moment between request and answer. */
    private <T> CompletionStage<T> answer(ForwardContext forward, Supplier<T> found) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        world.fibers.after(world.networkNanos(), world.fibers.outside(), () -> complete(answer, found));
        world.fibers.after(
                forward.deadlineNanos() - from.nanos(),
                from,
                () -> answer.completeExceptionally(
                        new TalosException(ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE, "no answer in time")));
        return answer;
    }

    private <T> void complete(CompletableFuture<T> answer, Supplier<T> found) {
        try {
            T now = found.get();
            world.fibers.after(world.networkNanos(), from, () -> answer.complete(now));
        } catch (TalosException e) {
            world.fibers.after(world.networkNanos(), from, () -> answer.completeExceptionally(e));
        }
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        return answer(forward, () -> slice(id.partition(), read));
    }

    private Slice slice(int partition, ReadRequest read) {
        if (!world.model.isServed(partition)) {
            throw LogFailures.notServing();
        }
        long end = world.model.end(partition);
        int messages = (int) Math.min(read.limits().messages(), end - read.offset());
        List<StoredBlock> blocks = messages <= 0
                ? List.of()
                : List.of(
                        new StoredBlock(read.offset(), 0, new Block(messages, 0, 0, ByteBuffer.allocate(0), MESSAGE)));
        return new Slice(blocks, 0, end);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return answer(forward, () -> {
            Map<LogId, LogBounds> found = new HashMap<>();
            for (LogId id : ids) {
                if (world.model.isServed(id.partition())) {
                    found.put(id, new LogBounds(0, world.model.end(id.partition()), 1));
                }
            }
            return found;
        });
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        CompletableFuture<Set<LogId>> answer = new CompletableFuture<>();
        poll(ends, from.nanos() + waitNanos, answer);
        return answer;
    }

    private void poll(Map<LogId, Long> ends, long untilNanos, CompletableFuture<Set<LogId>> answer) {
        ends.forEach((id, offset) -> {
            if (!world.model.isServed(id.partition()) || world.model.end(id.partition()) > offset) {
                answer.complete(Set.of(id));
            }
        });
        if (from.nanos() >= untilNanos) {
            answer.complete(Set.of());
        }
        if (!answer.isDone()) {
            world.fibers.after(POLL_NANOS, from, () -> poll(ends, untilNanos, answer));
        }
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
        throw new UnsupportedOperationException("nobody asks for it");
    }
}
