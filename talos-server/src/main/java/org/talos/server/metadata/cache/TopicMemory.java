// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.concurrent.atomic.AtomicLong;
import org.talos.server.metadata.rows.topic.TopicRecord;

/**
 * Accounts for the heap that topics take: their rows, and their partitions where this server serves all of them. New
 * topics are refused long before stored ones are too many to be loaded, so that a server can load every topic that it
 * accepted, also with a smaller heap.
 *
 * <p>Thread-safe.
 */
public final class TopicMemory {
    /** Heap of an open partition without clients. The memory that its clients take has other bounds. */
    private static final int PARTITION_BYTES = 2 << 10;

    private static final int NEW_TOPICS_PART = 4;
    private static final int CHANGES_PART = 2;
    private static final int WITHOUT_ROOM_PART = 4;

    /** A hundred topics, however small the heap is. */
    private static final long LEAST_WITHOUT_ROOM_BYTES = 64 << 10;

    private final long limitBytes;
    private final int partitionBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    private TopicMemory(long limitBytes, int partitionBytes) {
        this.limitBytes = limitBytes;
        this.partitionBytes = partitionBytes;
    }

    /** Returns memory without a bound. */
    public static TopicMemory unbounded() {
        return new TopicMemory(Long.MAX_VALUE, 0);
    }

    /**
     * Returns memory of a server.
     *
     * @param limitBytes the most that stored topics may take; new ones stop at a quarter, changes of rows at half
     * @param servesAll whether all partitions are this server's; else only rows count
     */
    public static TopicMemory of(long limitBytes, boolean servesAll) {
        return new TopicMemory(limitBytes, servesAll ? PARTITION_BYTES : 0);
    }

    /** Returns the most that new topics may take, together with the existing ones. */
    public long limitOfNewTopics() {
        return limitBytes / NEW_TOPICS_PART;
    }

    /**
     * Returns the most that rows without new partitions may grow to: permissions must be changeable while new topics
     * are refused. An administrator may use all memory for stored topics, which the next start can still load.
     */
    public long limitOfChanges(boolean admin) {
        return admin ? limitBytes : limitBytes / CHANGES_PART;
    }

    /** Returns the bytes that all loaded topics take. */
    public long used() {
        return usedBytes.get();
    }

    /** Returns the bytes of a topic. */
    public long bytes(TopicRecord topic) {
        return topic.memoryBytes() + (long) topic.partitions() * partitionBytes;
    }

    /** Returns the most that is kept of stored topics that are not loaded. */
    long limitWithoutRoom() {
        return Math.max(LEAST_WITHOUT_ROOM_BYTES, limitBytes / WITHOUT_ROOM_PART);
    }

    /** Returns whether a stored topic may be loaded. */
    boolean hasRoomForStored(TopicRecord topic) {
        return usedBytes.get() + bytes(topic) <= limitBytes;
    }

    void add(TopicRecord topic) {
        usedBytes.addAndGet(bytes(topic));
    }

    void remove(TopicRecord topic) {
        usedBytes.addAndGet(-bytes(topic));
    }
}
