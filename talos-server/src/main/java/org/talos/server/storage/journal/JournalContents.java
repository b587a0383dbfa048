// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.server.storage.SegmentName;

/**
 * The segments in the files of a journal, and up to where each file has them: the file that is being written, and the
 * full ones. A file is kept until all its segments have these bytes on the disk.
 *
 * <p>Confined: to the journal, under its lock.
 */
final class JournalContents {
    private final Deque<FullFile> fullFiles = new ArrayDeque<>();
    private Map<JournaledSegment, Long> inFile = new LinkedHashMap<>(); // in the order of their bytes

    /**
     * A file that is no longer written, and the position up to which it has each segment.
     *
     * @param sound nothing failed while it was written
     */
    record FullFile(long number, Map<JournaledSegment, Long> ends, boolean sound) {}

    /** Notes that the current file has the appends of a batch; if not durably, then possibly. */
    void hold(List<JournalItem> batch, boolean durable) {
        for (JournalItem item : batch) {
            if (item instanceof Append append) {
                inFile.merge(append.segment(), durable ? append.position() + append.length() : 0, Math::max);
            }
        }
    }

    /** Notes that the file is full; another follows it. */
    void fileFull(long number, boolean sound) {
        fullFiles.addLast(new FullFile(number, inFile, sound));
        inFile = new LinkedHashMap<>();
    }

    /** Returns the oldest full file, if there is one. */
    @Nullable
    FullFile oldest() {
        return fullFiles.peekFirst();
    }

    /** Forgets the oldest full file. */
    void removeOldest() {
        fullFiles.removeFirst();
    }

    /** Returns whether any file has bytes of a segment. */
    boolean has(SegmentName name) {
        return Stream.concat(Stream.of(inFile), fullFiles.stream().map(FullFile::ends))
                .flatMap(ends -> ends.keySet().stream())
                .anyMatch(segment -> segment.name().equals(name));
    }
}
