// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.journal.StoredFile;

/**
 * Segments that were being written without syncs when a run ended without closing its store and the power may have
 * failed, each with the length up to which the journal made it whole. The part behind may have holes, and the end may
 * be missing. They are listed in a file until they are sealed, since the journal is gone once it was replayed.
 *
 * <p>Immutable.
 *
 * @param wholeTo position in the segment, by its line in the file
 */
record UnsyncedSegments(Map<String, Long> wholeTo) {
    /** Copies its argument. */
    UnsyncedSegments {
        wholeTo = Map.copyOf(wholeTo);
    }

    /** Reads the segments that an earlier start has noted. */
    static UnsyncedSegments read(Disk disk, DiskPaths paths) throws IOException {
        return new UnsyncedSegments(load(disk, paths));
    }

    /** Returns whether the power failure may have taken acknowledged bytes from the end of a segment. */
    boolean mayLackItsEnd(SegmentName name) {
        return wholeTo.containsKey(key(name));
    }

    /** Returns the length up to which a segment is whole unless it is damaged. */
    long wholeTo(SegmentName name) {
        return wholeTo.getOrDefault(key(name), Long.MAX_VALUE);
    }

    /** Returns the line of a segment without its position. */
    static String key(SegmentName name) {
        return name.log().topicId() + " " + name.log().partition() + " " + name.baseOffset() + " " + name.epoch();
    }

    /**
     * Returns the segments of earlier runs that are not sealed yet, and, if the last run's writes may be lost, all
     * other unsealed ones. A segment that was synced before that run is not among those: the run did not write it.
     *
     * @param replayed up to where the journal had each segment
     * @param synced segments that were synced before the last run
     */
    static UnsyncedSegments find(
            Disk disk, DiskPaths paths, boolean lastRun, Map<SegmentName, Long> replayed, SyncedSegments synced)
            throws IOException {
        Map<String, Long> earlier = load(disk, paths);
        Map<String, Long> now = new TreeMap<>();
        if (lastRun || !earlier.isEmpty()) {
            for (SegmentName name : unsealed(disk, paths)) {
                Long known = earlier.get(key(name));
                boolean wasWritten = replayed.containsKey(name) || !synced.has(name);
                if (known != null || (lastRun && wasWritten)) {
                    now.put(key(name), known == null ? replayed.getOrDefault(name, 0L) : known);
                }
            }
        }
        if (!now.equals(earlier)) {
            save(disk, paths, now);
        }
        return new UnsyncedSegments(now);
    }

    /** Returns the segments without an index: a segment gets one once all of it is on the disk. */
    static List<SegmentName> unsealed(Disk disk, DiskPaths paths) throws IOException {
        List<SegmentName> names = new ArrayList<>();
        for (Path topic : disk.list(paths.segments())) {
            for (Path directory : disk.list(topic)) {
                Optional<LogId> log = DiskPaths.log(directory);
                if (log.isPresent()) {
                    Set<Path> files = new HashSet<>(disk.list(directory));
                    files.stream()
                            .flatMap(file -> DiskPaths.segment(log.get(), file).stream())
                            .filter(name -> !files.contains(paths.index(name)))
                            .forEach(names::add);
                }
            }
        }
        return names;
    }

    private static Map<String, Long> load(Disk disk, DiskPaths paths) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        if (disk.exists(paths.unsynced())) {
            for (String line : text(disk, paths.unsynced()).lines().toList()) {
                int last = line.lastIndexOf(' ');
                found.put(line.substring(0, last), Long.parseLong(line.substring(last + 1)));
            }
        }
        return found;
    }

    /** Reads all of a file. */
    static String text(Disk disk, Path path) throws IOException {
        try (StoredFile file = disk.open(path)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(0, bytes);
            return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        }
    }

    private static void save(Disk disk, DiskPaths paths, Map<String, Long> lines) throws IOException {
        if (lines.isEmpty()) {
            disk.deleteIfExists(paths.unsynced());
            disk.syncDirectory(paths.root());
            return;
        }
        String text = lines.entrySet().stream()
                .map(line -> line.getKey() + " " + line.getValue() + "\n")
                .collect(Collectors.joining());
        disk.replace(paths.unsynced(), text.getBytes(StandardCharsets.UTF_8));
    }
}
