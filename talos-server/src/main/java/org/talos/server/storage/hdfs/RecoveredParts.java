// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.hdfs.client.WrittenFile;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;

/**
 * Writes replayed bytes into files beside the segments, a few open at a time. A segment that is deleted or is complete
 * in its own files gets none.
 *
 * <p>Parts of a segment that were cut are skipped: its owner cut the bytes of a failed append, and answered that its
 * outcome was unknown.
 *
 * <p>Confined: the thread that replays.
 */
final class RecoveredParts implements JournalReplay.Target, AutoCloseable {
    /** Each open file costs a thread here and three on DataNodes. */
    private static final int MAX_OPEN = 64;

    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final int replication;
    private final long own;
    private final Hdfs.Work meanwhile;
    private final Map<SegmentName, Open> open = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);
    private final Map<SegmentName, Long> ends = new LinkedHashMap<>();
    private final Set<SegmentName> unwanted = new HashSet<>();
    private final byte[] copy = new byte[64 << 10];
    private long bytes;

    /**
     * Creates the parts of one attempt.
     *
     * @param own a number that no other attempt has, nor any other process
     * @param meanwhile runs about every second during the wait
     */
    RecoveredParts(Hdfs hdfs, HdfsPaths paths, int replication, long own, Hdfs.Work meanwhile) {
        this.meanwhile = meanwhile;
        this.hdfs = hdfs;
        this.paths = paths;
        this.replication = replication;
        this.own = own;
    }

    private record Open(SegmentName name, long position, Path beside, WrittenFile out) {}

    /** Segments that got bytes. */
    int segments() {
        return ends.size();
    }

    /** Returns the bytes they got. */
    long bytes() {
        return bytes;
    }

    @Override
    public void apply(Item item) throws IOException, StorageException {
        SegmentName name = item.segment();
        if (item.cut() || unwanted.contains(name)) {
            return;
        }
        Long end = ends.get(name);
        if (end == null && !isWanted(name)) {
            unwanted.add(name);
            return;
        }
        if (end != null && end != item.position()) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "a journal continues at " + item.position() + " of segment " + name + " (expected: " + end + ")",
                    null);
        }
        FlushedFile.write(of(name, item.position()).out, item.bytes(), copy);
        bytes += item.bytes().remaining();
        ends.put(name, item.position() + item.bytes().remaining());
    }

    private boolean isWanted(SegmentName name) throws IOException {
        return hdfs.exists(paths.first(name)) && !hdfs.exists(paths.index(name));
    }

    private Open of(SegmentName name, long position) throws IOException {
        Open current = open.get(name);
        if (current != null) {
            return current;
        }
        if (open.size() >= MAX_OPEN) {
            finish(List.copyOf(open.keySet()).subList(0, MAX_OPEN / 2));
        }
        Path beside = HdfsPaths.beside(paths.recovered(name, position, position), own); // its end is not known yet
        Open made = new Open(name, position, beside, hdfs.create(beside, replication));
        open.put(name, made);
        FlushedFile.write(made.out, new PartHeader(0, position).encode(), copy);
        return made;
    }

    /** Syncs all open files and renames them to their final names. */
    void finish() throws IOException {
        finish(List.copyOf(open.keySet()));
    }

    private void finish(List<SegmentName> names) throws IOException {
        List<Hdfs.Work> work = new ArrayList<>();
        for (SegmentName name : names) {
            Open done = open.get(name);
            if (done != null) {
                long end = ends.getOrDefault(name, done.position);
                work.add(() -> finish(done, end));
            }
        }
        hdfs.all(work, meanwhile);
        open.keySet().removeAll(names); // otherwise they are all abandoned, even those whose work has not begun
    }

    private void finish(Open done, long end) throws IOException {
        done.out.close(); // and so synced: the journal that it replaces is deleted next
        Path whole = paths.recovered(done.name, done.position, end);
        if (!hdfs.rename(done.beside, whole)) {
            requireWhole(whole, PartHeader.BYTES + end - done.position);
            hdfs.delete(done.beside); // another server has done the same
        }
    }

    /** A file is cut only once its session is gone; this session still has its journals. */
    private void requireWhole(Path there, long length) throws IOException {
        long found = hdfs.length(there);
        if (found != length) {
            throw new IOException(there + " has " + found + " bytes (expected: " + length
                    + ") and is not what the journals hold; they are kept until an operator has moved it away");
        }
    }

    /** Abandons and deletes unfinished files: no other attempt has files of their names. */
    @Override
    public void close() {
        for (Open left : open.values()) {
            hdfs.closeLater(() -> {
                try {
                    left.out.close();
                } finally {
                    hdfs.delete(left.beside);
                }
            });
        }
        open.clear();
    }
}
