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
 * The appends that a journal has still to write, and which of them are the next batch. While there are more than a
 * batch may have, each log has a part of it only: whoever puts little waits for one batch and not for all that others
 * have queued. The order within a log is kept, the oldest append is always in the next batch.
 *
 * <p>Confined: to the journal, under its lock.
 */
final class AppendQueue {
    /** The number of parts of a batch, of which each log has one if others wait; of a larger append, all. */
    private static final int PARTS = 16;

    private Deque<Append> queue = new ArrayDeque<>();
    private long bytes;

    void add(Append append) {
        queue.addLast(append);
        bytes += append.itemBytes();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    int size() {
        return queue.size();
    }

    /** Takes what is queued. */
    List<Append> takeAll() {
        return take(Long.MAX_VALUE);
    }

    /** Takes the next batch: one append at least, and further ones up to this number of bytes. */
    List<Append> take(long maxBytes) {
        if (bytes > maxBytes) {
            return takeParts(maxBytes);
        }
        List<Append> all = new ArrayList<>(queue);
        queue.clear();
        bytes = 0;
        return all;
    }

    private List<Append> takeParts(long maxBytes) {
        List<Append> batch = new ArrayList<>();
        Deque<Append> left = new ArrayDeque<>();
        Map<LogId, Long> taken = new HashMap<>();
        Set<LogId> waiting = new HashSet<>(); // a log of which an append is left: all behind it are
        long sum = 0;
        for (Append append : queue) {
            LogId log = append.name().log();
            long ofLog = taken.getOrDefault(log, 0L);
            boolean fits = sum + append.itemBytes() <= maxBytes
                    && (ofLog == 0 || ofLog + append.itemBytes() <= maxBytes / PARTS);
            if (waiting.contains(log) || !(batch.isEmpty() || fits)) {
                waiting.add(log);
                left.addLast(append);
            } else {
                batch.add(append);
                taken.put(log, ofLog + append.itemBytes());
                sum += append.itemBytes();
            }
        }
        queue = left;
        bytes -= sum;
        return batch;
    }
}
