// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.thrift.ErrorCode;

/**
 * The groups of all topics with their rights and committed offsets. A list that needs them reads all rows together. The
 * rows are read again only after a pause, which is a multiple of the time that the last reading took.
 *
 * <p>The memory is bounded. Each owner of topics may take as much of it as is still free, as in every
 * {@link MemoryBudget}, so that the groups of one do not push out those of others. A topic reports if some of its
 * groups are missing.
 *
 * <p>Thread-safe. Only {@link #of} blocks.
 */
public final class GroupIndex {
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    /** Readings take at most this part of the time. */
    private static final int PAUSE_PER_READING = 20;

    /** The time after which a reading fails if no worker was free for it. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** Deleted groups that lists leave out before the next reading. Further ones are listed until then. */
    private static final int MOST_REMOVED = 1_000;

    /** A group with its place in maps. Names, offsets, and rights count besides. */
    private static final long GROUP_BYTES = 128;

    private static final long ROW_BYTES = 90;
    private static final long GRANT_BYTES = 100;
    private static final long CHARACTER_BYTES = 2;

    private final TopicDirectory directory;
    private final Tables tables;
    private final Workers workers;
    private final TimerWheel timers;
    private final Ticker ticker;
    private final long mostBytes;
    private final AtomicReference<Turn> latest;
    private final AtomicInteger begun = new AtomicInteger(); // readings
    private final Map<Key, Integer> removed = new ConcurrentHashMap<>(); // to the number of readings begun by then

    /** @param mostBytes of heap, about, for the groups of all topics */
    public GroupIndex(
            TopicDirectory directory,
            Tables tables,
            Workers workers,
            TimerWheel timers,
            Ticker ticker,
            long mostBytes) {
        this.directory = directory;
        this.tables = tables;
        this.workers = workers;
        this.timers = timers;
        this.ticker = ticker;
        this.mostBytes = mostBytes;
        latest = new AtomicReference<>(Turn.ended(ticker.nanos()));
    }

    /** The tables that are read completely. Immutable. */
    public record Tables(Groups groups, Offsets offsets) {}

    /** Runs a reading, which blocks. */
    @FunctionalInterface
    public interface Workers {
        /**
         * Runs it as soon as a worker is free.
         *
         * @param deadlineNanos after which it fails if it has not begun
         */
        CompletionStage<Snapshot> run(long deadlineNanos, Callable<Snapshot> reading);
    }

    /**
     * The groups at a time. Immutable.
     *
     * @param nanos when the first of them was read, of the monotonic clock
     */
    public record Snapshot(List<OfTopic> topics, long nanos) {
        public Snapshot {
            topics = List.copyOf(topics);
        }
    }

    /**
     * The groups of a topic. Immutable.
     *
     * @param isComplete whether there was memory for all of them
     */
    public record OfTopic(String topicId, Collection<Entry> groups, boolean isComplete) {
        public OfTopic {
            groups = List.copyOf(groups);
        }
    }

    /** A group, and its next offset in each partition. Confined: the reading; afterwards it does not change. */
    public static final class Entry {
        private final String group;
        private @Nullable GroupRecord row = GroupRecord.NOBODY;
        private long[] next = new long[0];
        private boolean isWhole = true;

        private Entry(String group) {
            this.group = group;
        }

        String group() {
            return group;
        }

        /** Returns the group's owner and rights; empty if its row cannot be read, or there was no memory for it. */
        Optional<GroupRecord> row() {
            return Optional.ofNullable(row);
        }

        /** Returns whether all that the group has committed is known. */
        boolean isWhole() {
            return isWhole;
        }

        /** Returns the next offset that the group reads; 0 if it never committed. */
        long next(int partition) {
            return partition < next.length ? next[partition] : 0;
        }
    }

    /** Names a group. Immutable. */
    private record Key(String topicId, String group) {}

    /** A reading that all callers share until the pause after it is over. Thread-safe. */
    private static final class Turn {
        private final CompletableFuture<Snapshot> result = new CompletableFuture<>();
        private volatile long untilNanos; // set before the result

        private Turn(long untilNanos) {
            this.untilNanos = untilNanos;
        }

        /** Returns one whose pause is over. */
        static Turn ended(long untilNanos) {
            Turn turn = new Turn(untilNanos);
            turn.result.complete(new Snapshot(List.of(), untilNanos));
            return turn;
        }

        boolean isOver(long nanos) {
            return result.isDone() && nanos - untilNanos >= 0;
        }

        void end(@Nullable Snapshot read, @Nullable Throwable failure) {
            if (read == null) {
                result.completeExceptionally(
                        failure == null ? new IllegalStateException("a reading without a result") : failure);
            } else {
                result.complete(read);
            }
        }
    }

    /** Leaves a group out of lists from now on: this server has deleted it. */
    void remove(TopicRecord topic, String group) {
        if (removed.size() < MOST_REMOVED) {
            removed.put(new Key(topic.topicId(), group), begun.get());
        }
    }

    /** Returns whether the group may have been deleted since {@link #all} was read. */
    boolean isRemoved(TopicRecord topic, Entry group) {
        return !removed.isEmpty() && removed.containsKey(new Key(topic.topicId(), group.group()));
    }

    /**
     * Returns the groups of all topics. Reads them again if the pause since the last reading is over. All callers share
     * the reading in progress, and its failure.
     *
     * @return completes with REQUEST_PROCESS_TIMEOUT once the deadline has passed
     */
    CompletionStage<Snapshot> all(long deadlineNanos) {
        long now = ticker.nanos();
        Turn next = new Turn(now);
        Turn current = latest.updateAndGet(known -> known.isOver(now) ? next : known);
        if (current == next) {
            var unused = workers.run(now + LONGEST_WAIT.toNanos(), () -> readAll(next))
                    .whenComplete(next::end);
        }
        return inTime(current.result, deadlineNanos);
    }

    private CompletionStage<Snapshot> inTime(CompletableFuture<Snapshot> result, long deadlineNanos) {
        if (result.isDone()) {
            return result;
        }
        CompletableFuture<Snapshot> waiting = result.copy();
        TimerWheel.Timeout timeout = timers.schedule(deadlineNanos, () -> waiting.completeExceptionally(late()));
        return waiting.whenComplete((read, failure) -> timeout.cancel());
    }

    private static TalosException late() {
        return TalosException.refused(
                ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline passed while the groups of all topics were read");
    }

    private Snapshot readAll(Turn turn) throws MetadataException {
        long begunNanos = ticker.nanos();
        int number = begun.incrementAndGet();
        MemoryBudget memory = new MemoryBudget(mostBytes);
        int pauses = 1; // after a failure
        try {
            Reading reading = new Reading((owner, bytes) -> memory.of(owner).tryReserve(bytes));
            Snapshot read = reading.read(Optional.empty());
            removed.values().removeIf(readings -> readings < number);
            pauses = PAUSE_PER_READING;
            return read;
        } finally {
            long ended = ticker.nanos();
            turn.untilNanos = ended + Math.max(SHORTEST_PAUSE.toNanos(), pauses * (ended - begunNanos));
        }
    }

    /**
     * Returns the groups of a topic as they are now. Blocks.
     *
     * @param room reserves bytes, or returns false: then some of the groups are missing
     */
    Snapshot of(TopicRecord topic, LongPredicate room) throws MetadataException {
        return new Reading((owner, bytes) -> room.test(bytes)).read(Optional.of(topic.topicId()));
    }

    /** Memory of the groups that are read. */
    @FunctionalInterface
    private interface Room {
        /** Reserves bytes for groups of an owner's topics; returns false if there are not enough. */
        boolean take(String owner, long bytes);
    }

    /** Reads groups, and keeps those that fit. Confined: one reading. */
    private final class Reading {
        private final Room room;
        private final Map<String, TopicGroups> topics = new HashMap<>();

        Reading(Room room) {
            this.room = room;
        }

        /** @param topicId of the topic whose groups are read; all if it is empty */
        Snapshot read(Optional<String> topicId) throws MetadataException {
            long nanos = ticker.nanos();
            tables.offsets.list(topicId, this::addCommit, this::addUnreadableCommit);
            tables.groups.list(topicId, this::addRow, this::addUnreadableRow); // last: else new groups seem unowned
            return new Snapshot(
                    topics.values().stream().map(TopicGroups::result).toList(), nanos);
        }

        private void addRow(Groups.Listed found) {
            find(found.topicId(), found.group()).ifPresent(known -> known.setRow(found.row()));
        }

        private void addUnreadableRow(String topicId, String group) {
            find(topicId, group).ifPresent(known -> known.entry.row = null);
        }

        private void addCommit(Offsets.Listed found) {
            find(found.topicId(), found.group())
                    .ifPresent(known -> known.commit(found.partition(), GroupMembers.next(found.committed())));
        }

        private void addUnreadableCommit(String topicId, String group) {
            find(topicId, group).ifPresent(known -> known.entry.isWhole = false);
        }

        /** Returns a group; empty if its topic is unknown, or there is no room for it. */
        private Optional<Found> find(String topicId, String group) {
            @Nullable TopicGroups known = topics.get(topicId);
            if (known == null) {
                Optional<TopicRecord> topic = directory.byId(topicId);
                if (topic.isEmpty()) {
                    return Optional.empty();
                }
                known = new TopicGroups(topic.get(), room);
                topics.put(topicId, known);
            }
            return known.find(group);
        }
    }

    /** The groups of a topic that were read so far. Confined: one reading. */
    private static final class TopicGroups {
        private final TopicRecord topic;
        private final Room room;
        private final Map<String, Entry> entries = new HashMap<>();
        private boolean isComplete = true;

        TopicGroups(TopicRecord topic, Room room) {
            this.topic = topic;
            this.room = room;
        }

        boolean take(long bytes) {
            return room.take(topic.owner(), bytes);
        }

        Optional<Found> find(String group) {
            @Nullable Entry entry = entries.get(group);
            if (entry == null) {
                isComplete = isComplete && take(GROUP_BYTES + CHARACTER_BYTES * group.length());
                if (!isComplete) { // nor any later one: a group without its row would seem to have no owner
                    return Optional.empty();
                }
                entry = new Entry(group);
                entries.put(group, entry);
            }
            return Optional.of(new Found(this, entry));
        }

        OfTopic result() {
            return new OfTopic(topic.topicId(), entries.values(), isComplete);
        }
    }

    /** A group that is being read. Confined: one reading. */
    private record Found(TopicGroups topic, Entry entry) {
        void setRow(GroupRecord row) {
            entry.row = topic.take(bytes(row)) ? new GroupRecord(row.owner(), row.grants(), Map.of(), Map.of()) : null;
        }

        private static long bytes(GroupRecord row) {
            long bytes = ROW_BYTES + CHARACTER_BYTES * row.owner().length();
            for (Map.Entry<String, Right> grant : row.grants().entrySet()) {
                bytes += GRANT_BYTES + CHARACTER_BYTES * grant.getKey().length();
            }
            return bytes;
        }

        void commit(int partition, long offset) {
            if (partition >= entry.next.length) {
                int length = Math.max(topic.topic.partitions(), partition + 1);
                if (!topic.take((long) Long.BYTES * (length - entry.next.length))) {
                    entry.isWhole = false;
                    return;
                }
                entry.next = Arrays.copyOf(entry.next, length);
            }
            entry.next[partition] = offset;
        }
    }
}
