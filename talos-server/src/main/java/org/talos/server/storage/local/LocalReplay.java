// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.StoredFile;

/**
 * Replays the journal of an earlier run into the segments, when the store is opened and before anything else. It writes
 * the same bytes to the same places, so it may be repeated after another crash.
 *
 * <p>The name of a segment was durable before its first byte went to the journal. A segment without a file was deleted,
 * unless the rows have it. Then it is created again if the journal has it from its first byte, which means all of it,
 * as a journal forgets a segment's oldest bytes first. The journal's bytes of any other missing segment, and of a file
 * that is too short, outlive the journal in {@link KeptSegments}.
 *
 * <p>Confined: the opening thread.
 */
final class LocalReplay implements JournalReplay.Target {
    private static final Logger LOG = LoggerFactory.getLogger(LocalReplay.class);

    private final Disk disk;
    private final DiskPaths paths;
    private final boolean unsynced;
    private final SegmentRows rows;
    private final KeptSegments kept;
    private final Map<SegmentName, ReplayedFile> touched = new HashMap<>();
    private final Map<SegmentName, Boolean> gone = new HashMap<>(); // and whether the rows have them
    private final Map<SegmentName, Long> ends = new HashMap<>();
    private UnsyncedSegments left = new UnsyncedSegments(Map.of());

    /** With {@code unsynced}, a journal that does not say so itself is assumed to be written without syncs. */
    LocalReplay(Disk disk, DiskPaths paths, boolean unsynced, SegmentRows rows, KeptSegments kept) {
        this.disk = disk;
        this.paths = paths;
        this.unsynced = unsynced;
        this.rows = rows;
        this.kept = kept;
    }

    /** Returns the segments that may have holes since an earlier run wrote without syncs; known after {@link #run}. */
    UnsyncedSegments unsynced() {
        return left;
    }

    /** Replays and deletes all journal files; returns the number of the next one. */
    long run(JournalList list) throws IOException, StorageException {
        SystemRun system = new SystemRun(disk, paths);
        boolean isRefused = system.isRefused();
        boolean isSame = system.isSame();
        SyncedSegments synced = SyncedSegments.read(disk, paths);
        LocalJournal journal = new LocalJournal(disk, paths, isSame || isRefused);
        JournalReplay replay = new JournalReplay(journal, this, unsynced);
        List<Long> numbers = journal.numbers();
        kept.putBack();
        long batches = replayOrRefuse(replay, journal, system);
        boolean mayBeLost = !numbers.isEmpty() && replay.isUnsynced() && !isSame;
        left = UnsyncedSegments.find(disk, paths, mayBeLost, ends, synced); // first: the journal says what may be lost
        list.clear(); // first: a listed file must exist
        for (long number : numbers) { // one by one, oldest first: a crash leaves a tail of the journal
            disk.deleteIfExists(paths.journal(number));
            disk.syncDirectory(paths.journal());
        }
        synced.renew(disk, paths, unsynced); // not before: a journal that lost its end may undo a cut
        system.save(); // last: the journal of the run before a power failure must not be read as complete
        if (batches > 0) {
            LOG.info("journal replayed files={} batches={} segments={}", numbers.size(), batches, touched.size());
        }
        return numbers.isEmpty() ? 1 : numbers.get(numbers.size() - 1) + 1;
    }

    private long replayOrRefuse(JournalReplay replay, LocalJournal journal, SystemRun system)
            throws IOException, StorageException {
        try {
            return replay(replay);
        } catch (IOException e) {
            noteRefusal(journal, system, e); // unreadable bytes may be read as other bytes after a restart
            throw e;
        } catch (StorageException e) {
            if (e.reason() != Reason.CORRUPT) {
                throw e;
            }
            noteRefusal(journal, system, e);
            throw new StorageException(
                    Reason.CORRUPT,
                    e.effect(),
                    e.getMessage() + ". The journal stays as it is: docs/operations.md, 'A part that is missing'",
                    e);
        }
    }

    /**
     * Makes the refusal of a complete journal lasting. Otherwise, after a restart of the system, its damage would pass
     * for the result of a power failure, and everything behind it would be dropped. The journal is synced first, so
     * that all of it stays.
     */
    private static void noteRefusal(LocalJournal journal, SystemRun system, Exception refusal) {
        try {
            if (system.isNewlyRefused()) {
                for (long number : journal.numbers()) {
                    try (StoredFile file = journal.open(number)) {
                        file.sync();
                    }
                }
                system.refuse();
            }
        } catch (IOException | StorageException e) {
            refusal.addSuppressed(e);
            LOG.error("refusal of the journal not noted: start the server once more before the system restarts", e);
        }
    }

    private long replay(JournalReplay replay) throws IOException, StorageException {
        try {
            long batches = replay.run();
            for (ReplayedFile file : touched.values()) {
                file.sync();
            }
            kept.finish();
            return batches;
        } finally {
            for (ReplayedFile file : touched.values()) {
                file.close();
            }
            kept.abandon();
        }
    }

    @Override
    public void apply(Item item) throws IOException, StorageException {
        SegmentName name = item.segment();
        if (kept.isKeeping(name)) {
            kept.keep(item);
            return;
        }
        ReplayedFile file = file(item);
        boolean joined = file != null && file.isJoinedBy(item);
        if (file != null && (joined || !haveMade(name))) {
            file.apply(item);
            long end = item.position() + item.bytes().remaining();
            ends.merge(name, end, item.cut() ? (before, cut) -> cut : Math::max);
        } else if (haveMade(name)) {
            kept.keep(item);
        }
    }

    private @Nullable ReplayedFile file(Item item) throws IOException, StorageException {
        SegmentName name = item.segment();
        ReplayedFile file = touched.get(name);
        if (file != null || gone.containsKey(name)) {
            return file;
        }
        if (disk.exists(paths.segment(name))) {
            file = new ReplayedFile(disk.open(paths.segment(name)));
            touched.put(name, file);
        } else if (item.position() == 0 && !item.cut() && haveMade(name)) {
            LOG.warn("segment missing, creating it again from the journal segment={}", name);
            new Directories(disk, paths.root()).make(paths.log(name.log()));
            file = new ReplayedFile(disk.create(paths.segment(name)));
            touched.put(name, file);
        }
        return file;
    }

    private boolean haveMade(SegmentName name) throws StorageException {
        Boolean known = gone.get(name);
        if (known == null) {
            known = rows.haveMade(name);
            gone.put(name, known);
        }
        return known;
    }
}
