// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A file with a segment's bytes from one position to another. Parts may overlap: acknowledged bytes are in all parts
 * that reach there, and are the same. Immutable.
 *
 * @param from position in the segment of the first byte behind the file's header
 * @param end one past the last
 */
record Part(Path path, long from, long end) {
    /** Returns the part in a file of a given length; empty if the file has only a header, or less. */
    static Optional<Part> of(Path path, long fileLength) {
        long from = HdfsPaths.position(path);
        long end = from + fileLength - PartHeader.BYTES;
        return end > from ? Optional.of(new Part(path, from, end)) : Optional.empty();
    }

    /** Returns the position in the file of a position of the segment. */
    long inFile(long position) {
        return PartHeader.BYTES + position - from;
    }

    /**
     * Returns the fewest parts that make up the segment without a gap, in order.
     *
     * @throws StorageException CORRUPT: something is missing before the last part
     */
    static List<Part> chain(SegmentName name, List<Part> all) throws StorageException {
        List<Part> chain = withoutGap(all);
        long length = length(chain);
        if (all.stream().anyMatch(part -> part.from > length)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "segment " + name + " lacks the bytes behind position " + length,
                    null);
        }
        return chain;
    }

    /** Returns the fewest consecutive parts from the beginning on, up to the first gap. */
    static List<Part> withoutGap(List<Part> all) {
        List<Part> chain = new ArrayList<>();
        Optional<Part> next = farthest(all, 0);
        while (next.isPresent()) {
            chain.add(next.get());
            next = farthest(all, next.get().end);
        }
        return chain;
    }

    private static Optional<Part> farthest(List<Part> all, long covered) {
        return all.stream()
                .filter(part -> part.from <= covered && part.end > covered)
                .max(Comparator.comparingLong(Part::end));
    }

    static long length(List<Part> chain) {
        return chain.isEmpty() ? 0 : chain.get(chain.size() - 1).end;
    }

    /** Reads from a chain up to a length, until the target is full; returns the number of bytes. */
    static int read(List<Part> chain, ReadStreams streams, long position, ByteBuffer target, long length)
            throws IOException {
        int start = target.position();
        long at = position;
        for (Part part : chain) {
            long end = Math.min(part.end, length);
            if (at < end && target.hasRemaining()) {
                ByteBuffer piece = target.duplicate();
                piece.limit((int) Math.min(piece.limit(), piece.position() + (end - at)));
                int bytes = piece.remaining();
                streams.read(part.path, part.inFile(at), piece, part.inFile(end));
                target.position(target.position() + bytes);
                at += bytes;
            }
        }
        return target.position() - start;
    }
}
