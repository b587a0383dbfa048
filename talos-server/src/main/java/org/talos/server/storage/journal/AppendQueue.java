// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.talos.server.storage.LogId;

/**
 * The queued appends and cuts of a journal, and the choice of the next batch. While more are queued than fit into a
 * batch, each log has only a part of it, and so has each topic while others wait. So a user who puts little waits for
 * one batch, and not for everything that others have queued, to however many partitions. The order within a log is
 * kept, and the oldest item is always in the next batch.
 *
 * <p>Confined: to the journal, under its lock.
 */
final class AppendQueue {
    /** The number of parts of a batch. If others wait, each log has one; a larger append gets the whole batch. */
    private static final int LOG_PARTS = 16;

    /** The same for each topic, as long as other topics fill the rest. */
    private static final int TOPIC_PARTS = 4;

    private Deque<JournalItem> queue = new ArrayDeque<>();
    private long bytes;

    void add(JournalItem item) {
        queue.addLast(item);
        bytes += item.itemBytes();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    int size() {
        return queue.size();
    }

    /** Takes all queued items. */
    List<JournalItem> takeAll() {
        return take(Long.MAX_VALUE);
    }

    /** Takes the next batch: at least one item, and further ones up to this number of bytes. */
    List<JournalItem> take(long maxBytes) {
        if (bytes > maxBytes) {
            return takeParts(maxBytes);
        }
        List<JournalItem> all = new ArrayList<>(queue);
        queue.clear();
        bytes = 0;
        return all;
    }

    private List<JournalItem> takeParts(long maxBytes) {
        Taking taking = new Taking(maxBytes);
        queue = taking.take(queue, maxBytes / TOPIC_PARTS);
        queue = taking.take(queue, maxBytes); // the room that no other topic has taken
        bytes -= taking.sum;
        return taking.batch;
    }

    /** The items of the next batch, and their bytes by log and by topic. Confined: one batch. */
    private static final class Taking {
        private final long maxBytes;
        private final List<JournalItem> batch = new ArrayList<>();
        private final Map<LogId, Long> ofLogs = new HashMap<>();
        private final Map<String, Long> ofTopics = new HashMap<>();
        private long sum;

        Taking(long maxBytes) {
            this.maxBytes = maxBytes;
        }

        /**
         * Takes items from the queue, in its order, and returns the rest.
         *
         * @param maxOfTopic bytes of a topic
         */
        Deque<JournalItem> take(Deque<JournalItem> queued, long maxOfTopic) {
            Deque<JournalItem> left = new ArrayDeque<>();
            Set<LogId> waiting = new HashSet<>(); // a log with a remaining item: all items behind it remain
            for (JournalItem item : queued) {
                LogId log = item.name().log();
                if (waiting.contains(log) || !(batch.isEmpty() || fits(item, maxOfTopic))) {
                    waiting.add(log);
                    left.addLast(item);
                } else {
                    add(item);
                }
            }
            return left;
        }

        private boolean fits(JournalItem item, long maxOfTopic) {
            LogId log = item.name().log();
            return sum + item.itemBytes() <= maxBytes
                    && isWithin(ofLogs.getOrDefault(log, 0L), item, maxBytes / LOG_PARTS)
                    && isWithin(ofTopics.getOrDefault(log.topicId(), 0L), item, maxOfTopic);
        }

        /** Returns whether an item is within a part, or the first in it. */
        private static boolean isWithin(long taken, JournalItem item, long part) {
            return taken == 0 || taken + item.itemBytes() <= part;
        }

        private void add(JournalItem item) {
            LogId log = item.name().log();
            batch.add(item);
            ofLogs.merge(log, (long) item.itemBytes(), Long::sum);
            ofTopics.merge(log.topicId(), (long) item.itemBytes(), Long::sum);
            sum += item.itemBytes();
        }
    }
}
