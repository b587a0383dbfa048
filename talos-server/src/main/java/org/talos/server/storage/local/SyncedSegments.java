// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Segments without an index that existed when the last run began. Their bytes were on the disk by then, and that run
 * wrote only to others. So a power failure in that run explains no damage of theirs, and a refused segment stays
 * refused. They are noted beside the logs in the file SYNCED: the line {@code talos synced 1}, and a line for each with
 * topic id, partition, base offset, and epoch.
 *
 * <p>A line stays true in later runs, even in those of an earlier version, which does not replace the file. If
 * {@link UnsyncedSegments} has a segment too, that takes precedence: the segment lost bytes in an earlier run.
 *
 * <p>Immutable.
 *
 * @param lines those behind the first
 */
record SyncedSegments(Set<String> lines) {
    private static final String FORM = "talos synced 1\n";

    /** Copies its argument. */
    SyncedSegments {
        lines = Set.copyOf(lines);
    }

    /**
     * Reads the segments that an earlier start has noted; none if it has noted none.
     *
     * @throws StorageException CORRUPT: a later version has noted them
     */
    static SyncedSegments read(Disk disk, DiskPaths paths) throws IOException, StorageException {
        Path path = paths.synced();
        if (!disk.exists(path)) {
            return new SyncedSegments(Set.of());
        }
        String text = UnsyncedSegments.text(disk, path);
        if (!text.startsWith(FORM)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    path + " is not a list of synced segments (expected: '" + FORM.strip() + "')",
                    null);
        }
        return new SyncedSegments(text.lines().skip(1).collect(Collectors.toSet()));
    }

    /** Returns whether a segment was on the disk when the last run began. */
    boolean has(SegmentName name) {
        return lines.contains(UnsyncedSegments.key(name));
    }

    /**
     * Notes the segments for the next start, when the old journal is gone and no other has begun; durable once this
     * returns.
     *
     * @param unsynced whether the run that begins writes without syncs; otherwise none is noted
     */
    void renew(Disk disk, DiskPaths paths, boolean unsynced) throws IOException {
        Set<String> now = new TreeSet<>();
        if (unsynced) {
            for (SegmentName name : UnsyncedSegments.unsealed(disk, paths)) {
                now.add(UnsyncedSegments.key(name));
            }
        }
        if (now.equals(lines)) {
            return;
        }
        if (now.isEmpty()) {
            disk.deleteIfExists(paths.synced());
            disk.syncDirectory(paths.root());
            return;
        }
        String text = now.stream().map(line -> line + "\n").collect(Collectors.joining("", FORM, ""));
        disk.replace(paths.synced(), text.getBytes(StandardCharsets.UTF_8));
    }
}
