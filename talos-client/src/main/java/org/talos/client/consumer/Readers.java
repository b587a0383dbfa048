// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.consumer.group.LogEnds;
import org.talos.client.transport.PartitionRef;

/**
 * The readers of one consumer, each on a thread of its own, until it is closed.
 *
 * <p>Thread-safe.
 */
final class Readers {
    /** The name of the operation in exceptions. */
    static final String SEEK = "seek";

    private static final Logger LOG = LoggerFactory.getLogger(Readers.class);

    private final String member;
    private final Executor threads;
    private final Map<PartitionRef, Running> running = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /** A reader and the future of its run. Immutable. */
    private record Running(PartitionReader reader, CompletableFuture<@Nullable Void> run) {}

    /**
     * No readers yet.
     *
     * @param member the consumer's name
     * @param threads run one reader each
     */
    Readers(String member, Executor threads) {
        this.member = member;
        this.threads = threads;
    }

    /** Returns whether there is a reader of a partition, including one that is ending. */
    boolean has(PartitionRef partition) {
        return running.containsKey(partition);
    }

    /** Returns the partitions that are read now. */
    Set<PartitionRef> partitions() {
        return active().map(PartitionReader::partition).collect(Collectors.toUnmodifiableSet());
    }

    private Stream<PartitionReader> active() {
        return running.values().stream().map(Running::reader).filter(each -> !each.isStopping());
    }

    /** Returns the partitions whose locks must be renewed. */
    Set<PartitionRef> locked() {
        return running.values().stream()
                .map(Running::reader)
                .filter(PartitionReader::isLocking)
                .map(PartitionReader::partition)
                .collect(Collectors.toSet());
    }

    private static TopicPartition nameOf(PartitionReader reader) {
        return new TopicPartition(reader.partition().topic(), reader.partition().number());
    }

    private static SortedSet<TopicPartition> namesOf(Stream<PartitionReader> readers) {
        return readers.map(Readers::nameOf).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the partitions that are read now, as programs name them. */
    SortedSet<TopicPartition> names() {
        return namesOf(active());
    }

    /**
     * Returns the reader of a partition.
     *
     * @param what the program's action
     * @throws IllegalStateException this consumer does not read it now
     */
    PartitionReader of(TopicPartition partition, String what) {
        return active().filter(each -> nameOf(each).equals(partition))
                .findFirst()
                .orElseThrow(() -> notHere(what, partition));
    }

    /**
     * Moves a partition to a position.
     *
     * @return commits that the group continues there
     * @throws IllegalStateException the partition is not read now
     */
    PartitionHold.Processed seek(TopicPartition partition, long offset) {
        return of(partition, SEEK).seek(offset).orElseThrow(() -> notHere(SEEK, partition));
    }

    /**
     * Pauses partitions, or has them continue.
     *
     * @throws IllegalStateException one of them is not read now; nothing has changed
     */
    void pause(Collection<TopicPartition> partitions, boolean isPaused) {
        List<PartitionReader> found = partitions.stream()
                .map(each -> of(each, isPaused ? "pause" : "resume"))
                .toList();
        found.forEach(each -> each.pause(isPaused));
    }

    /** Returns the partitions that are paused. */
    SortedSet<TopicPartition> paused() {
        return namesOf(active().filter(PartitionReader::isPaused));
    }

    /**
     * Returns the figures of the partitions that are read, in order.
     *
     * @param ends where logs end
     * @param waitingBytes of messages that wait for the program outside of the readers
     */
    List<ConsumerSnapshot.Partition> snapshots(LogEnds ends, ToLongFunction<TopicPartition> waitingBytes) {
        return active().sorted(Comparator.comparing(PartitionReader::partition))
                .map(each -> each.snapshot(ends, waitingBytes.applyAsLong(nameOf(each))))
                .toList();
    }

    private IllegalStateException notHere(String what, TopicPartition partition) {
        return new IllegalStateException(
                what + ": " + partition + " is not read by this consumer (expected: one of " + names() + ")");
    }

    /** Ends the reader of a partition, if there is one that is not ending. */
    void release(PartitionRef partition) {
        Running of = running.get(partition);
        if (of != null && !of.reader.isStopping()) {
            LOG.info("partition released partition={} member={}", partition, member);
            of.reader.stop();
        }
    }

    /** Ends the reader of a partition whose lock is lost, if there is one. */
    void lost(PartitionRef partition) {
        Running of = running.get(partition);
        if (of != null) {
            LOG.warn("partition lost partition={}", partition);
            of.reader.lost();
        }
    }

    /** Ends all readers: others may have read in the meantime, and these readers' offsets are stale. */
    void allLost() {
        Set.copyOf(running.keySet()).forEach(this::lost);
    }

    /** Ends the readers of topics that no longer exist. */
    void gone(Predicate<PartitionRef> isThere) {
        running.forEach((partition, of) -> {
            if (!isThere.test(partition)) {
                LOG.error("topic deleted, reading stopped topic={}", partition.topic());
                of.reader.lost();
            }
        });
    }

    /**
     * Starts reading a partition that is not read.
     *
     * @return false if reading has ended, or no thread is left: the caller must release the lock
     */
    boolean read(PartitionReader reader) {
        PartitionRef partition = reader.partition();
        Running added = new Running(reader, new CompletableFuture<>());
        if (!add(partition, added)) {
            return false;
        }
        LOG.info("partition taken partition={} member={}", partition, member);
        try {
            threads.execute(() -> {
                try {
                    reader.run();
                } finally {
                    running.remove(partition, added);
                    added.run.complete(null);
                }
            });
            return true;
        } catch (RuntimeException | Error e) { // no thread left: another member may have one
            LOG.error("partition reader start failed partition={}", partition, e);
            added.run.complete(null);
            return false;
        }
    }

    private synchronized boolean add(PartitionRef partition, Running reader) {
        return !closed && running.putIfAbsent(partition, reader) == null;
    }

    /** Forgets a reader that could not start. */
    void forget(PartitionReader reader) {
        running.values().removeIf(each -> each.reader.equals(reader));
    }

    /** Ends all readers and starts no others. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        running.values().forEach(each -> each.reader.stop());
    }

    /** Completes when all readers have ended. */
    CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(
                running.values().stream().map(Running::run).toArray(CompletableFuture[]::new));
    }
}
