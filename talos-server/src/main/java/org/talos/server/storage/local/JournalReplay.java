// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.local.JournalFormat.BatchHeader;
import org.talos.server.storage.local.JournalFormat.FileHeader;
import org.talos.server.storage.local.JournalFormat.Item;

/**
 * Brings the journal of an earlier run into the segments, when the store is opened and before anything else: the same
 * bytes to the same places, so that it may be done again after another crash.
 *
 * <p>A segment whose file is gone was deleted: its name was durable before its first byte went to the journal.
 *
 * <p>Confined: the opening thread.
 */
final class JournalReplay {
    private static final Logger LOG = LoggerFactory.getLogger(JournalReplay.class);

    private final Disk disk;
    private final DiskPaths paths;
    private final Map<SegmentName, DiskFile> touched = new HashMap<>();
    private long batches;

    JournalReplay(Disk disk, DiskPaths paths) {
        this.disk = disk;
        this.paths = paths;
    }

    private record JournalFile(Path path, FileHeader header) {}

    /** Replays and deletes all journal files; returns the number that the next one is to have. */
    long run() throws IOException, StorageException {
        List<JournalFile> files = read();
        long next = 1;
        try {
            for (int i = 0; i < files.size(); i++) {
                Optional<JournalFile> successor =
                        i + 1 < files.size() ? Optional.of(files.get(i + 1)) : Optional.empty();
                replay(files.get(i), successor);
                next = files.get(i).header.number() + 1;
            }
            for (DiskFile file : touched.values()) {
                file.sync();
            }
        } finally {
            for (DiskFile file : touched.values()) {
                file.close();
            }
        }
        for (Path path : disk.list(paths.journal())) { // oldest first: what is left is always a tail of the journal
            disk.deleteIfExists(path);
        }
        disk.syncDirectory(paths.journal());
        if (batches > 0) {
            LOG.info("journal replayed files={} batches={} segments={}", files.size(), batches, touched.size());
        }
        return next;
    }

    private List<JournalFile> read() throws IOException, StorageException {
        List<JournalFile> files = new ArrayList<>();
        List<Path> all = disk.list(paths.journal());
        for (Path path : all) {
            Optional<FileHeader> header =
                    JournalFormat.readFileHeader(ByteBuffer.wrap(bytes(path, JournalFormat.FILE_HEADER_BYTES)));
            boolean last = path.equals(all.get(all.size() - 1));
            if (header.isEmpty() && last && noBatch(bytes(path, Long.MAX_VALUE), 0)) {
                continue; // begun, and not a byte of it acknowledged
            }
            if (header.isEmpty()) {
                throw damaged(path, 0);
            }
            if (header.get().version() != JournalFormat.VERSION) {
                throw new StorageException(
                        Reason.CORRUPT,
                        Effect.NONE,
                        "journal " + path + " has format version "
                                + header.get().version() + " (expected: " + JournalFormat.VERSION + ")",
                        null);
            }
            files.add(new JournalFile(path, header.get()));
        }
        return files;
    }

    private byte[] bytes(Path path, long most) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(Math.min(most, file.size())));
            file.read(0, bytes);
            return bytes.array();
        }
    }

    /** Up to where the next file says that this one counts; in the last file, up to a batch that is not whole. */
    private void replay(JournalFile file, Optional<JournalFile> successor) throws IOException, StorageException {
        boolean told = successor.isPresent() && successor.get().header.previousNumber() == file.header.number();
        byte[] bytes = bytes(file.path, Long.MAX_VALUE);
        long end = told ? successor.get().header.previousLength() : bytes.length;
        if (end > bytes.length) {
            throw damaged(file.path, bytes.length);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, 0, (int) end);
        in.position(Math.min(JournalFormat.FILE_HEADER_BYTES, in.limit()));
        while (in.hasRemaining()) {
            int start = in.position();
            Optional<List<Item>> items = batch(in);
            if (items.isPresent()) {
                apply(items.get());
            } else if (told || successor.isPresent() || !noBatch(bytes, start + 1)) {
                throw damaged(file.path, start);
            } else {
                LOG.info("journal tail dropped file={} position={} bytes={}", file.path, start, end - start);
                return;
            }
        }
    }

    private static Optional<List<Item>> batch(ByteBuffer in) {
        Optional<BatchHeader> header = JournalFormat.readBatchHeader(in);
        if (header.isEmpty() || header.get().bytes() > in.remaining()) {
            return Optional.empty();
        }
        ByteBuffer items = in.slice(in.position(), header.get().bytes());
        if (JournalFormat.crc(List.of(items)) != header.get().checksum()) {
            return Optional.empty();
        }
        in.position(in.position() + header.get().bytes());
        return Optional.of(JournalFormat.readItems(items, header.get().items()));
    }

    /** Whether no whole batch begins at or behind a place: each was synced before the next was written. */
    private static boolean noBatch(byte[] bytes, int from) {
        for (int at = from; at + JournalFormat.BATCH_HEADER_BYTES <= bytes.length; at++) {
            if (bytes[at] == (byte) (JournalFormat.BATCH_MAGIC >>> 24)
                    && batch(ByteBuffer.wrap(bytes, at, bytes.length - at)).isPresent()) {
                return false;
            }
        }
        return true;
    }

    private void apply(List<Item> items) throws IOException {
        batches++;
        for (Item item : items) {
            DiskFile file = touched.get(item.segment());
            if (file == null && disk.exists(paths.segment(item.segment()))) {
                file = disk.open(paths.segment(item.segment()));
                touched.put(item.segment(), file);
            }
            if (file != null) {
                file.write(item.position(), List.of(item.bytes()));
            }
        }
    }

    private static StorageException damaged(Path path, long position) {
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                "journal " + path + " is damaged at position " + position
                        + ", and acknowledged bytes follow or are lost",
                null);
    }
}
