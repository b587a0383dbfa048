// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.gap;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.storage.LogId;

/**
 * The gaps of a log at its opening; none is added while it is open.
 *
 * <p>Thread-safe.
 */
public final class Gaps {
    private static final Logger LOG = LoggerFactory.getLogger(Gaps.class);

    private final LogId log;
    private final NavigableMap<Long, Gap> byFirst;
    private final long end;
    private final long next;
    private final AtomicBoolean said = new AtomicBoolean();

    private Gaps(LogId log, NavigableMap<Long, Gap> byFirst, long end, long next) {
        this.log = log;
        this.byFirst = byFirst;
        this.end = end;
        this.next = next;
    }

    /** A segment of a log, or a gap between its segments. */
    public interface Part {
        /** Its first offset. */
        long baseOffset();

        /** One past its last offset. */
        long endOffset();

        /** Returns whether no message has its offsets. */
        boolean isGap();
    }

    /**
     * Returns the gaps among a log's segments.
     *
     * @param segments in the order of their offsets
     * @param start of the log, where it ends if it has no segment
     */
    public static Gaps of(LogId log, List<? extends Part> segments, long start) {
        NavigableMap<Long, Gap> found = new TreeMap<>();
        long end = start;
        long next = start;
        for (Part each : segments) {
            next = each.endOffset();
            if (each.isGap()) {
                add(found, new Gap(each.baseOffset(), next));
            } else {
                end = next;
            }
        }
        return new Gaps(log, found, end, next);
    }

    /** Gaps without a message between them are one. */
    private static void add(NavigableMap<Long, Gap> found, Gap gap) {
        Map.Entry<Long, Gap> before = found.lastEntry();
        boolean joined = before != null && before.getValue().end() == gap.first();
        long first = joined ? before.getKey() : gap.first();
        found.put(first, new Gap(first, gap.end()));
    }

    /** Returns one past the last message that the log had at its opening. */
    public long end() {
        return end;
    }

    /** Returns the offset of the first message that is appended. */
    public long next() {
        return next;
    }

    /** Returns all gaps, in the order of their offsets. */
    public List<Gap> all() {
        return List.copyOf(byFirst.values());
    }

    /** Returns the number of messages from one offset to a later one, exclusive. */
    public long messages(long from, long to) {
        long messages = to - from;
        for (Gap gap : byFirst.values()) {
            messages -= to - from - gap.messages(from, to);
        }
        return messages;
    }

    /** Returns the gap behind which the newest messages are, or will be. */
    public Gap newest() {
        return byFirst.isEmpty() ? Gap.NONE : byFirst.lastEntry().getValue();
    }

    /**
     * Returns the offset at which a read continues: behind the gap with the requested offset, or at the log's end while
     * nothing is behind the gap.
     */
    public long pass(long offset, long durableEnd) {
        if (byFirst.isEmpty()) {
            return offset;
        }
        if (offset > durableEnd && offset <= next) {
            say(durableEnd, Math.min(offset, next - 1));
            return durableEnd;
        }
        Map.Entry<Long, Gap> gap = byFirst.floorEntry(offset);
        if (gap == null || offset >= gap.getValue().end() || gap.getValue().end() > durableEnd) {
            return offset;
        }
        if (offset > gap.getKey()) {
            say(gap.getKey(), offset);
        }
        return gap.getValue().end();
    }

    /** A reader that has been behind the end has read messages that the log no longer has. */
    private void say(long durableEnd, long offset) {
        if (said.compareAndSet(false, true)) {
            LOG.warn(
                    "messages are lost if a reader had come as far as it asks for: the power has failed, and the log"
                            + " ends before log={} end={} asked={} messages={}",
                    log,
                    durableEnd,
                    offset,
                    offset - durableEnd);
        }
    }
}
