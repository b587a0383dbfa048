// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Finds the position in a segment from which to search for an offset or a time: one point at a fixed distance in bytes.
 *
 * <pre>
 * saved:  4 "TLIX" · 4 version, 1 · 4 number of points · 4 CRC-32C of the points · then for each point
 *         8 offset · 8 append timestamp · 8 position
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class SparseIndex {
    private static final int MAGIC = 0x544C4958;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 16;
    private static final int LONGS = 3; // of a point: offset, append timestamp, position
    private static final int POINT_BYTES = LONGS * Long.BYTES;
    private static final int TIMESTAMP = 1;
    private static final int POSITION = 2;
    private static final int FIRST_POINTS = 8;
    private static final int OWN_BYTES = 128; // of the objects themselves, with their place in a cache

    private final int intervalBytes;

    @GuardedBy("this")
    private long[] points = new long[FIRST_POINTS * LONGS]; // no objects: there are many points

    @GuardedBy("this")
    private int size;

    /** Creates an index without a point yet, which will have one for this number of bytes of the segment. */
    public SparseIndex(int intervalBytes) {
        this.intervalBytes = intervalBytes;
    }

    /** An entry begins here; for entries in the order of their positions. */
    public synchronized void add(long offset, long timestamp, long position) {
        if (size == 0 || position - at(size - 1, POSITION) >= intervalBytes) {
            if (points.length == size * LONGS) {
                points = Arrays.copyOf(points, 2 * points.length);
            }
            points[size * LONGS] = offset;
            points[size * LONGS + TIMESTAMP] = timestamp;
            points[size * LONGS + POSITION] = position;
            size++;
        }
    }

    @GuardedBy("this")
    private long at(int point, int field) {
        return points[point * LONGS + field];
    }

    /** Returns the bytes that it takes in memory. */
    synchronized int weight() {
        return OWN_BYTES + points.length * Long.BYTES;
    }

    /** Returns a position at or before the entry that holds the offset. */
    public synchronized long positionOf(long offset) {
        int found = pointsUpTo(offset);
        return found == 0 ? 0 : at(found - 1, POSITION);
    }

    /**
     * Returns the first offset of the entry at {@link #positionOf}.
     *
     * @param base that of the segment
     */
    public synchronized long offsetOf(long offset, long base) {
        int found = pointsUpTo(offset);
        return found == 0 ? base : at(found - 1, 0);
    }

    @GuardedBy("this")
    private int pointsUpTo(long offset) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (at(middle, 0) <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns a position before which every entry was appended earlier than this. */
    public synchronized long positionBefore(long timestamp) {
        int found = pointsBefore(timestamp);
        return found == 0 ? 0 : at(found - 1, POSITION);
    }

    /**
     * Returns the first offset of the entry at {@link #positionBefore}.
     *
     * @param base that of the segment
     */
    public synchronized long offsetBefore(long timestamp, long base) {
        int found = pointsBefore(timestamp);
        return found == 0 ? base : at(found - 1, 0);
    }

    @GuardedBy("this")
    private int pointsBefore(long timestamp) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (at(middle, TIMESTAMP) < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns when the first entry that has a point was appended, ms since 1970; 0 if there is none. */
    public synchronized long firstTimestamp() {
        return size == 0 ? 0 : at(0, TIMESTAMP);
    }

    /** Returns the last position of an entry that has a point and is at most this. */
    public synchronized long positionUpTo(long position) {
        long found = 0;
        for (int i = 0; i < size && at(i, POSITION) <= position; i++) {
            found = at(i, POSITION);
        }
        return found;
    }

    /** Returns the position of the last entry that has a point. */
    public synchronized long lastPosition() {
        return size == 0 ? 0 : at(size - 1, POSITION);
    }

    /** Returns the bytes to save. */
    public synchronized byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + size * POINT_BYTES);
        bytes.putInt(MAGIC).putInt(VERSION).putInt(size).putInt(0);
        bytes.asLongBuffer().put(points, 0, size * LONGS);
        bytes.putInt(12, checksum(bytes.array()));
        return bytes.array();
    }

    /** Decodes saved bytes; empty if they are damaged or of another version, and the index must be built again. */
    public static Optional<SparseIndex> decode(byte[] saved, int intervalBytes) {
        ByteBuffer in = ByteBuffer.wrap(saved);
        if (saved.length < HEADER_BYTES || in.getInt() != MAGIC || in.getInt() != VERSION) {
            return Optional.empty();
        }
        int count = in.getInt();
        if (count < 0 || saved.length != HEADER_BYTES + (long) count * POINT_BYTES || in.getInt() != checksum(saved)) {
            return Optional.empty();
        }
        SparseIndex index = new SparseIndex(intervalBytes);
        synchronized (index) {
            index.points = new long[count * LONGS];
            in.asLongBuffer().get(index.points);
            index.size = count;
        }
        return Optional.of(index);
    }

    private static int checksum(byte[] saved) {
        CRC32C crc = new CRC32C();
        crc.update(saved, HEADER_BYTES, saved.length - HEADER_BYTES);
        return (int) crc.getValue();
    }
}
