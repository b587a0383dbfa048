// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;

/** Another server: keeps the puts that it is given, each block at the offset of its number. Thread-safe. */
final class RecordedRequests implements PartitionRequests {
    private final List<Put> puts = new CopyOnWriteArrayList<>();
    private final List<ForwardContext> hops = new CopyOnWriteArrayList<>();
    private final CompletableFuture<@Nullable Void> hung = new CompletableFuture<>();
    private final Map<Integer, TalosException> failures = new ConcurrentHashMap<>();
    private volatile boolean hangs;
    private volatile int unanswered;

    List<Put> puts() {
        return puts;
    }

    List<ForwardContext> hops() {
        return hops;
    }

    /** Answers nothing any more about offsets, and no read that waits. */
    void hang() {
        hangs = true;
    }

    /** Fails all reads of partitions of that number. */
    void failReads(int partition, TalosException failure) {
        failures.put(partition, failure);
    }

    /** Answers what is asked from now on, and leaves hanging what was asked before. */
    void answer() {
        hangs = false;
    }

    /** Answers what hangs, as it was when it was asked. */
    void answerLate() {
        hangs = false;
        hung.complete(null);
    }

    /** Fails all that hangs. */
    void giveUp(TalosException failure) {
        hangs = false;
        hung.completeExceptionally(failure);
    }

    private <T> CompletionStage<T> unlessHung(T answer) {
        return hangs ? hung.thenApply(never -> answer) : CompletableFuture.completedFuture(answer);
    }

    int unanswered() {
        return unanswered;
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        hops.add(forward);
        puts.add(put);
        return CompletableFuture.completedFuture(new AppendResult(puts.size() - 1, () -> unanswered = puts.size()));
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        hops.add(forward);
        TalosException failure = failures.get(id.partition());
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        List<StoredBlock> blocks = puts.stream()
                .skip(Math.max(0, read.offset()))
                .map(put -> new StoredBlock(puts.indexOf(put), 1, put.blocks().get(0)))
                .toList();
        Slice found = new Slice(blocks, 0, puts.size());
        return read.waitNanos() > 0 ? unlessHung(found) : CompletableFuture.completedFuture(found);
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        hops.add(forward);
        Optional<TalosException> failure = ends.keySet().stream()
                .map(id -> failures.get(id.partition()))
                .filter(Objects::nonNull)
                .findAny();
        if (failure.isPresent()) {
            return CompletableFuture.failedFuture(failure.get());
        }
        return unlessHung(ends.entrySet().stream()
                .filter(end -> end.getValue() < puts.size())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet()));
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        hops.add(forward);
        Map<LogId, LogBounds> found = new HashMap<>();
        ids.forEach(id -> found.put(id, new LogBounds(0, puts.size(), 100)));
        return unlessHung(found);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        hops.add(forward);
        return unlessHung((long) puts.size());
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
        hops.add(forward);
        return unlessHung(new Deletion.Result(0, puts.size(), puts.size(), 0));
    }
}
