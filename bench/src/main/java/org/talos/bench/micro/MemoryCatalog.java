// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.storage.SegmentName;

/**
 * A segment catalog in memory, since the cost of metadata is not measured here and no other owner competes for the log.
 *
 * <p>Thread-safe.
 */
final class MemoryCatalog implements SegmentCatalog {
    @GuardedBy("this")
    private final List<Known> segments = new ArrayList<>();

    private final long epoch;

    @GuardedBy("this")
    private long startOffset;

    @GuardedBy("this")
    private long readableFrom;

    /** Creates the catalog of a new log. */
    MemoryCatalog() {
        epoch = 1;
    }

    /** Creates the catalog of a log that is reopened. */
    MemoryCatalog(MemoryCatalog before) {
        epoch = before.epoch + 1;
        segments.addAll(before.segments());
        startOffset = before.startOffset();
        readableFrom = before.readableFrom();
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public synchronized long startOffset() {
        return startOffset;
    }

    @Override
    public synchronized long readableFrom() {
        return Math.max(startOffset, readableFrom);
    }

    @Override
    public synchronized void readFrom(long offset) {
        readableFrom = Math.max(readableFrom, offset);
    }

    @Override
    public synchronized List<Known> segments() {
        return List.copyOf(segments);
    }

    @Override
    public synchronized void add(SegmentName name) {
        segments.add(Known.unsealed(name, State.PLANNED));
    }

    @Override
    public synchronized void made(SegmentName name) {
        segments.replaceAll(each -> each.name().equals(name) ? Known.unsealed(name, State.MADE) : each);
    }

    @Override
    public synchronized void seal(Known sealed) {
        segments.replaceAll(each -> each.name().equals(sealed.name()) ? sealed : each);
    }

    @Override
    public synchronized void addGap(Known gap) {
        segments.add(gap);
    }

    @Override
    public boolean isOver(SegmentName name) {
        return false; // nobody else writes
    }

    @Override
    public synchronized void remove(SegmentName name, long start) {
        segments.removeIf(each -> each.name().equals(name));
        startOffset = start;
    }
}
