// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.StoredFile;

/**
 * The journal's files on the disk. A file that is no longer needed is kept as the spare, and begun again under the next
 * number: its blocks are allocated and its pages are in memory already, which makes writing it several times cheaper.
 * Its earlier contents are no batches under the new file's salt.
 *
 * <p>Thread-safe.
 */
final class LocalJournalFiles implements JournalFiles {
    private final Disk disk;
    private final DiskPaths paths;
    private final boolean synced;
    private final JournalList list;

    @GuardedBy("this")
    private @Nullable Path spare; // only this thread touches the file of this name

    @GuardedBy("this")
    private OptionalLong halfBegun = OptionalLong.empty(); // may exist and be listed, and has no batch

    /**
     * With {@code synced}, headers are on the disk before the file has its name. Without, no spare of an earlier run is
     * used: after a power failure it might have its old header under a new name, as if it had been synced.
     */
    LocalJournalFiles(Disk disk, DiskPaths paths, boolean synced, JournalList list) throws IOException {
        this.list = list;
        this.disk = disk;
        this.paths = paths;
        this.synced = synced;
        for (Path left : disk.list(paths.journal())) {
            if (synced && DiskPaths.isSpareJournal(left) && spare == null) {
                spare = left;
            } else if (DiskPaths.isSpareJournal(left)) {
                disk.deleteIfExists(left);
            }
        }
    }

    @Override
    public boolean synced() {
        return synced;
    }

    @Override
    public boolean survivesPowerFailures() {
        return synced();
    }

    @Override
    public boolean isImmediate() {
        return !synced;
    }

    @Override
    public StoredFile begin(long number, ByteBuffer header) throws IOException {
        removeHalfBegun();
        Path path = paths.journal(number);
        Path again = takeSpare();
        Path made = again == null ? path : again;
        StoredFile file = again == null ? disk.create(made) : disk.open(made);
        boolean begun = false;
        boolean listed = false;
        try {
            file.write(0, List.of(header));
            if (synced) {
                file.sync();
            }
            if (again != null) {
                disk.move(again, path);
                made = path;
                disk.syncDirectory(paths.journal());
            }
            listed = true; // possibly: so it stays, even if that fails
            list.add(number);
            begun = true;
            return file;
        } finally {
            if (!begun) {
                halfBegun(OptionalLong.of(number));
                file.close();
            }
            if (!listed) {
                disk.deleteIfExists(made);
            }
        }
    }

    /**
     * Without the list, no other file is begun: once the older ones are gone, nothing would show that it is not part of
     * the journal.
     */
    private void removeHalfBegun() throws IOException {
        OptionalLong left = halfBegun();
        if (left.isPresent()) {
            list.remove(left.getAsLong()); // first: a listed file must exist
            disk.deleteIfExists(paths.journal(left.getAsLong()));
            disk.syncDirectory(paths.journal());
            halfBegun(OptionalLong.empty());
        }
    }

    private synchronized OptionalLong halfBegun() {
        return halfBegun;
    }

    private synchronized void halfBegun(OptionalLong number) {
        halfBegun = number;
    }

    private synchronized @Nullable Path takeSpare() {
        Path taken = spare;
        spare = null;
        return taken;
    }

    @Override
    public void end(long number, boolean sound) throws IOException {
        Path path = paths.journal(number);
        list.remove(number); // first: a listed file must exist
        if (!sound || hasSpare()) {
            disk.deleteIfExists(path);
            disk.syncDirectory(paths.journal());
            return;
        }
        Path kept = paths.spareJournal(number);
        if (disk.exists(path)) { // else an earlier try has moved it
            disk.move(path, kept);
        }
        disk.syncDirectory(paths.journal()); // before it may be begun again: one name at a time
        synchronized (this) {
            spare = disk.exists(kept) ? kept : null; // an earlier attempt may have deleted it, when there was another
        }
    }

    private synchronized boolean hasSpare() {
        return spare != null;
    }
}
