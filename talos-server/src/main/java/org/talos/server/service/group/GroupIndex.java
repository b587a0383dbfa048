// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.runtime.time.Ticker;
import org.talos.thrift.ErrorCode;

/**
 * The groups of all topics with their committed offsets. They are read together and kept for a second, or for longer if
 * that is only a small part of the time that the server would spend on reading them.
 *
 * <p>Thread-safe. Reads block.
 */
final class GroupIndex {
    static final int MOST_GROUPS = 20_000;

    /** Committed offsets that are kept: each takes some 8 bytes. The lag of further ones is not known. */
    static final int MOST_CHECKPOINTS = 500_000;

    private static final Duration SHORTEST_AGE = Duration.ofSeconds(1);
    private static final Duration LONGEST_AGE = Duration.ofMinutes(1);

    /** Reading takes at most this part of the time, unless the list would be older than a minute. */
    private static final int AGE_PER_READING = 20;

    private final Groups groups;
    private final Offsets offsets;
    private final Ticker ticker;
    private final AtomicLong changes = new AtomicLong();
    private volatile @Nullable Snapshot latest;
    private volatile boolean isBeingRead;

    GroupIndex(Groups groups, Offsets offsets, Ticker ticker) {
        this.groups = groups;
        this.offsets = offsets;
        this.ticker = ticker;
    }

    /**
     * The groups at a time. Immutable.
     *
     * @param nanos when the first of them was read, of the monotonic clock
     * @param untilNanos when they are to be read again
     */
    record Snapshot(Collection<Entry> groups, long nanos, long untilNanos) {
        Snapshot {
            groups = List.copyOf(groups);
        }
    }

    /** A group, and the next offset that it reads of each partition. Confined: the reading; then it stays as it is. */
    static final class Entry {
        private final String topicId;
        private final String group;
        private @Nullable GroupRecord row = GroupRecord.NOBODY;
        private long[] next = new long[0];
        private boolean isWhole = true;

        private Entry(String topicId, String group) {
            this.topicId = topicId;
            this.group = group;
        }

        String topicId() {
            return topicId;
        }

        String group() {
            return group;
        }

        /** Returns the group's owner and rights; empty if its row cannot be read. */
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

        private void commit(int partition, long offset) {
            if (partition >= next.length) {
                next = Arrays.copyOf(next, partition + 1);
            }
            next[partition] = offset;
        }
    }

    /** Forgets what was read: a group of this server has changed. */
    void forget() {
        changes.incrementAndGet();
        latest = null;
    }

    /** Returns the groups of a topic as they are now. */
    Snapshot of(String topicId) throws MetadataException {
        return read(Optional.of(topicId));
    }

    /** Returns the groups of all topics; the previous ones, if there are any, while another caller reads them. */
    Snapshot all() throws MetadataException {
        @Nullable Snapshot known = latest;
        return known != null && (isFresh(known) || isBeingRead) ? known : readAll();
    }

    private synchronized Snapshot readAll() throws MetadataException {
        @Nullable Snapshot other = latest; // which another caller may have read just now
        if (other != null && isFresh(other)) {
            return other;
        }
        isBeingRead = true;
        try {
            long before = changes.get();
            Snapshot read = read(Optional.empty());
            if (changes.get() == before) {
                latest = read;
            }
            return read;
        } finally {
            isBeingRead = false;
        }
    }

    private boolean isFresh(Snapshot snapshot) {
        return ticker.nanos() - snapshot.untilNanos() < 0;
    }

    /** @param topicId of the topic whose groups are read; all if it is empty */
    private Snapshot read(Optional<String> topicId) throws MetadataException {
        long begun = ticker.nanos();
        Reading all = new Reading();
        groups.list(
                topicId,
                found -> all.entry(found.topicId(), found.group()).row = withoutMembers(found.row()),
                (topic, group) -> all.entry(topic, group).row = null);
        offsets.list(topicId, all::add, (topic, group) -> all.entry(topic, group).isWhole = false);
        long ended = ticker.nanos();
        long age = Math.max(SHORTEST_AGE.toNanos(), AGE_PER_READING * (ended - begun));
        return new Snapshot(all.entries.values(), begun, ended + Math.min(age, LONGEST_AGE.toNanos()));
    }

    private static GroupRecord withoutMembers(GroupRecord row) {
        return new GroupRecord(row.owner(), row.grants(), Map.of(), Map.of());
    }

    /** The groups that were read so far. Confined: one reading. */
    private static final class Reading {
        private final Map<Key, Entry> entries = new HashMap<>();
        private int checkpoints;

        /** Names a group. Immutable. */
        private record Key(String topicId, String group) {}

        private Entry entry(String topicId, String group) {
            Key key = new Key(topicId, group);
            @Nullable Entry known = entries.get(key);
            if (known != null) {
                return known;
            }
            if (entries.size() == MOST_GROUPS) {
                throw TalosException.refused(
                        ErrorCode.REQUEST_TOO_LARGE,
                        "there are more than " + MOST_GROUPS + " groups: list those of one topic at a time");
            }
            Entry made = new Entry(topicId, group);
            entries.put(key, made);
            return made;
        }

        private void add(Offsets.Listed found) {
            Entry entry = entry(found.topicId(), found.group());
            if (++checkpoints > MOST_CHECKPOINTS) {
                entry.isWhole = false;
            } else {
                entry.commit(found.partition(), GroupMembers.next(found.committed()));
            }
        }
    }
}
