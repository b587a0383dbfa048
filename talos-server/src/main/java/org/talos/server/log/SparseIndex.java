// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Finds the position in a segment from which to search for an offset or a time: one point every so many bytes.
 *
 * <pre>
 * saved:  4 "TLIX" · 4 version, 1 · 4 number of points · 4 CRC-32C of the points · then for each point
 *         8 offset · 8 append timestamp · 8 position
 * </pre>
 *
 * <p>Thread-safe.
 */
final class SparseIndex {
    private static final int MAGIC = 0x544C4958;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 16;
    private static final int POINT_BYTES = 24;

    private final int intervalBytes;

    @GuardedBy("this")
    private final List<Point> points = new ArrayList<>();

    SparseIndex(int intervalBytes) {
        this.intervalBytes = intervalBytes;
    }

    private record Point(long offset, long timestamp, long position) {}

    /** An entry begins here; for entries in the order of their positions. */
    synchronized void add(long offset, long timestamp, long position) {
        if (points.isEmpty() || position - points.get(points.size() - 1).position >= intervalBytes) {
            points.add(new Point(offset, timestamp, position));
        }
    }

    /** A position at or before the entry that holds the offset. */
    synchronized long positionOf(long offset) {
        int low = 0;
        int high = points.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (points.get(middle).offset <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : points.get(low - 1).position;
    }

    /** A position before which every entry was appended earlier than this. */
    synchronized long positionBefore(long timestamp) {
        int low = 0;
        int high = points.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (points.get(middle).timestamp < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : points.get(low - 1).position;
    }

    /** The last position of an entry that has a point and is at most this. */
    synchronized long positionUpTo(long position) {
        long found = 0;
        for (Point point : points) {
            if (point.position > position) {
                break;
            }
            found = point.position;
        }
        return found;
    }

    /** The position of the last entry that has a point. */
    synchronized long lastPosition() {
        return points.isEmpty() ? 0 : points.get(points.size() - 1).position;
    }

    synchronized byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + points.size() * POINT_BYTES);
        bytes.putInt(MAGIC).putInt(VERSION).putInt(points.size()).putInt(0);
        for (Point point : points) {
            bytes.putLong(point.offset).putLong(point.timestamp).putLong(point.position);
        }
        bytes.putInt(12, checksum(bytes.array()));
        return bytes.array();
    }

    /** What was saved; empty if it is damaged or of another version, and must be built anew. */
    static Optional<SparseIndex> decode(byte[] saved, int intervalBytes) {
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
            for (int i = 0; i < count; i++) {
                index.points.add(new Point(in.getLong(), in.getLong(), in.getLong()));
            }
        }
        return Optional.of(index);
    }

    private static int checksum(byte[] saved) {
        CRC32C crc = new CRC32C();
        crc.update(saved, HEADER_BYTES, saved.length - HEADER_BYTES);
        return (int) crc.getValue();
    }
}
