// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.StoredFile;

/**
 * Replays the journal of an earlier run into the segments, when the store is opened and before anything else: the same
 * bytes to the same places, so that it may be done again after another crash.
 *
 * <p>A segment whose file is gone was deleted: its name was durable before its first byte went to the journal.
 *
 * <p>Confined: the opening thread.
 */
final class LocalReplay implements JournalReplay.Source, JournalReplay.Target {
    private static final Logger LOG = LoggerFactory.getLogger(LocalReplay.class);

    private final Disk disk;
    private final DiskPaths paths;
    private final boolean unsynced;
    private final Map<SegmentName, StoredFile> touched = new HashMap<>();
    private final Map<SegmentName, Long> ends = new HashMap<>();
    private UnsyncedSegments left = new UnsyncedSegments(Map.of());

    /** With {@code unsynced}, a journal that does not say so itself is taken to be written without syncs. */
    LocalReplay(Disk disk, DiskPaths paths, boolean unsynced) {
        this.disk = disk;
        this.paths = paths;
        this.unsynced = unsynced;
    }

    /** What may have holes since an earlier run wrote without syncs; known once {@link #run} has returned. */
    UnsyncedSegments unsynced() {
        return left;
    }

    /** Replays and deletes all journal files; returns the number that the next one is to have. */
    long run(JournalList list) throws IOException, StorageException {
        JournalReplay replay = new JournalReplay(this, this, unsynced);
        List<Long> numbers = numbers();
        long batches;
        try {
            batches = replay.run();
            for (StoredFile file : touched.values()) {
                file.sync();
            }
        } finally {
            for (StoredFile file : touched.values()) {
                file.close();
            }
        }
        boolean lastRun = !numbers.isEmpty() && replay.isUnsynced();
        left = UnsyncedSegments.find(disk, paths, lastRun, ends); // before the journal, by which it is known, is gone
        list.clear(); // first: what is listed must be there
        for (long number : numbers) { // one by one, oldest first: what a crash leaves is a tail of the journal
            disk.deleteIfExists(paths.journal(number));
            disk.syncDirectory(paths.journal());
        }
        if (batches > 0) {
            LOG.info("journal replayed files={} batches={} segments={}", numbers.size(), batches, touched.size());
        }
        return numbers.isEmpty() ? 1 : numbers.get(numbers.size() - 1) + 1;
    }

    @Override
    public List<Long> numbers() throws IOException {
        return disk.list(paths.journal()).stream()
                .map(DiskPaths::journalNumber)
                .filter(OptionalLong::isPresent)
                .map(OptionalLong::getAsLong)
                .toList();
    }

    @Override
    public StoredFile open(long number) throws IOException {
        return disk.open(paths.journal(number));
    }

    @Override
    public String name(long number) {
        return paths.journal(number).toString();
    }

    @Override
    public void apply(Item item) throws IOException {
        StoredFile file = touched.get(item.segment());
        Path path = paths.segment(item.segment());
        if (file == null && disk.exists(path)) {
            file = disk.open(path);
            touched.put(item.segment(), file);
        }
        if (file != null && item.cut()) {
            file.truncate(item.position());
            ends.put(item.segment(), item.position());
        } else if (file != null) {
            file.write(item.position(), List.of(item.bytes()));
            ends.merge(item.segment(), item.position() + item.bytes().remaining(), Math::max);
        }
    }
}
