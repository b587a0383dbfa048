// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.Rewriting;
import org.talos.server.storage.journal.StoredFile;

/**
 * Writes a segment to another file, in place of one that cannot be written or synced any more: the bytes that are
 * certainly on its disk, and the rest from the journal.
 *
 * <p>Immutable.
 */
record SegmentRewrite(SegmentName name, Disk disk, DiskPaths paths) implements Rewriting {
    private static final int COPY_BYTES = 1 << 20;
    private static final int TRIES = 5;

    @Override
    public StoredFile rewrite(StoredFile failed, long synced, long length) throws IOException {
        Path target = paths.segment(name);
        Path beside = paths.segmentBeside(name);
        disk.deleteIfExists(beside);
        try (StoredFile next = disk.create(beside)) {
            copy(failed, next, synced);
            replay(next, synced, length);
            next.sync();
        }
        disk.move(beside, target);
        disk.syncDirectory(DiskPaths.parent(target));
        return disk.open(target);
    }

    private void copy(StoredFile from, StoredFile to, long length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY_BYTES, length));
        for (long at = 0; at < length; ) {
            int bytes = from.read(at, buffer.clear().limit((int) Math.min(buffer.capacity(), length - at)));
            if (bytes == 0) {
                throw new IOException("segment " + name + " has " + at + " bytes (expected: " + length + ")");
            }
            to.write(at, List.of(buffer.flip()));
            at += bytes;
        }
    }

    /** Files of the journal may be deleted while it is read, and bytes added to the last: then it is read again. */
    private void replay(StoredFile to, long from, long length) throws IOException {
        IOException failure = new IOException("not tried");
        for (int i = 0; i < TRIES; i++) {
            try {
                replayOnce(to, from, length);
                return;
            } catch (IOException e) {
                failure = e;
            } catch (StorageException e) {
                failure = new IOException("the journal cannot be read back: " + e.getMessage(), e);
            }
        }
        throw failure;
    }

    private void replayOnce(StoredFile to, long from, long length) throws IOException, StorageException {
        Written written = new Written(to, from, length);
        new JournalReplay(new LocalJournal(disk, paths, false), written::apply).run();
        if (written.end < length) {
            throw new IOException("the journal has segment " + name + " up to position " + written.end + " (expected: "
                    + length + ")");
        }
    }

    /** The journal's bytes of the segment, in their order. Confined: the replay. */
    private final class Written {
        private final StoredFile to;
        private final long length;
        private long end;

        Written(StoredFile to, long from, long length) {
            this.to = to;
            this.length = length;
            end = from;
        }

        void apply(Item item) throws IOException {
            if (!item.segment().equals(name) || item.cut() || item.position() > end) {
                return;
            }
            long itemEnd = Math.min(item.position() + item.bytes().remaining(), length);
            if (itemEnd > end) {
                ByteBuffer bytes = item.bytes().duplicate();
                bytes.limit(bytes.position() + (int) (itemEnd - item.position()));
                bytes.position(bytes.position() + (int) (end - item.position()));
                to.write(end, List.of(bytes));
                end = itemEnd;
            }
        }
    }
}
