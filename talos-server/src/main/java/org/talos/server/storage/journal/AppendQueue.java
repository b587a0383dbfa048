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
 * The appends and cuts that a journal has still to write, and which of them are the next batch. While there are more
 * than a batch may have, each log has a part of it only: whoever puts little waits for one batch and not for all that
 * others have queued. The order within a log is kept, the oldest item is always in the next batch.
 *
 * <p>Confined: to the journal, under its lock.
 */
final class AppendQueue {
    /** The number of parts of a batch, of which each log has one if others wait; of a larger append, all. */
    private static final int PARTS = 16;

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

    /** Takes what is queued. */
    List<JournalItem> takeAll() {
        return take(Long.MAX_VALUE);
    }

    /** Takes the next batch: one item at least, and further ones up to this number of bytes. */
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
        List<JournalItem> batch = new ArrayList<>();
        Deque<JournalItem> left = new ArrayDeque<>();
        Map<LogId, Long> taken = new HashMap<>();
        Set<LogId> waiting = new HashSet<>(); // a log of which an item is left: all behind it are
        long sum = 0;
        for (JournalItem item : queue) {
            LogId log = item.name().log();
            long ofLog = taken.getOrDefault(log, 0L);
            boolean fits =
                    sum + item.itemBytes() <= maxBytes && (ofLog == 0 || ofLog + item.itemBytes() <= maxBytes / PARTS);
            if (waiting.contains(log) || !(batch.isEmpty() || fits)) {
                waiting.add(log);
                left.addLast(item);
            } else {
                batch.add(item);
                taken.put(log, ofLog + item.itemBytes());
                sum += item.itemBytes();
            }
        }
        queue = left;
        bytes -= sum;
        return batch;
    }
}
