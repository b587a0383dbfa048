// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat.BatchHeader;
import org.talos.server.storage.journal.JournalFormat.FileHeader;
import org.talos.server.storage.journal.JournalFormat.Item;

/**
 * Reads the contents of a journal whose writer is gone, in the order in which they were written: up to the torn end,
 * and not past damage. Holds one batch in memory at a time.
 *
 * <p>Confined: the thread that replays.
 */
public final class JournalReplay {
    private static final Logger LOG = LoggerFactory.getLogger(JournalReplay.class);
    private static final int SCAN_BYTES = 1 << 16;

    private final Source source;
    private final Target target;
    private final boolean unsyncedUnlessSaid;
    private boolean headerSeen;
    private boolean unsyncedSeen;
    private long batches;
    private long nextBatch = -1; // not known before the first

    /** Replays the journal in the files of the source to the target; it was synced unless its files say otherwise. */
    public JournalReplay(Source source, Target target) {
        this(source, target, false);
    }

    /** Does the same, and returns whether a journal was written without syncs of which no file has its header. */
    public JournalReplay(Source source, Target target, boolean unsyncedUnlessSaid) {
        this.source = source;
        this.target = target;
        this.unsyncedUnlessSaid = unsyncedUnlessSaid;
    }

    /** The journal's files. */
    public interface Source {
        /** Their numbers, ascending. */
        List<Long> numbers() throws IOException;

        /** Opens one for reading. */
        StoredFile open(long number) throws IOException;

        /** Its name in messages. */
        String name(long number);

        /**
         * Returns whether a power failure can only shorten an unsynced file. Otherwise it can also leave other bytes in
         * front of a batch that was written later.
         */
        default boolean isOnlyShortened() {
            return false;
        }

        /**
         * Returns whether everything that was written is there, synced or not, since the system has been up all the
         * time. Then an incomplete batch is damaged if anything follows it.
         */
        default boolean isComplete() {
            return false;
        }
    }

    /** Where replayed bytes go. */
    @FunctionalInterface
    public interface Target {
        /** Applies bytes of a segment, or the cut of one. The bytes must not be kept: they belong to the replay. */
        void apply(Item item) throws IOException, StorageException;
    }

    private record JournalFile(String path, long number, long size, Optional<FileHeader> header) {
        boolean isBegun() {
            return header.isPresent() || size > JournalFormat.FILE_HEADER_BYTES;
        }

        /**
         * Returns whether a header names this file as its predecessor. Files are deleted in their order, so the file
         * behind this one cannot be gone; unless this one was created late and never used, when others had been begun.
         */
        boolean isNamedBy(FileHeader next) throws StorageException {
            if (next.previousNumber() > number && isBegun()) {
                throw damaged(path, size); // the one behind it is missing
            }
            return next.previousNumber() == number;
        }
    }

    /**
     * A file with batches, up to its valid end; the last one's valid end is not stated anywhere.
     *
     * @param durable whether no power failure has taken any of it
     * @param whole whether it is as long as its successor says; without syncs a power failure may have cut it
     */
    private record Counted(
            long number, String path, long salt, boolean durable, long end, boolean whole, boolean last) {}

    /**
     * Replays all files.
     *
     * @return number of batches that were whole
     * @throws StorageException CORRUPT: acknowledged bytes are damaged or missing, or it has another format
     */
    public long run() throws IOException, StorageException {
        List<JournalFile> files = new ArrayList<>();
        for (long number : source.numbers()) {
            files.add(read(number));
        }
        Deque<Counted> left = chain(files);
        while (!left.isEmpty() && replay(left.removeFirst())) {
            LOG.debug("journal files left: {}", left.size());
        }
        return batches;
    }

    /**
     * Returns whether the journal was written without syncs, so that a power failure may have lost any part of it: even
     * a part that seems complete may lack its end. Known once {@link #run} has read its files.
     */
    public boolean isUnsynced() {
        return headerSeen ? unsyncedSeen : unsyncedUnlessSaid;
    }

    private JournalFile read(long number) throws IOException, StorageException {
        String path = source.name(number);
        try (StoredFile file = source.open(number)) {
            ByteBuffer bytes = ByteBuffer.allocate(JournalFormat.FILE_HEADER_BYTES);
            file.read(0, bytes);
            Optional<FileHeader> header = JournalFormat.readFileHeader(bytes.flip());
            if (header.isPresent() && header.get().version() != JournalFormat.VERSION) {
                throw new StorageException(
                        Reason.CORRUPT,
                        Effect.NONE,
                        "journal " + path + " has format version "
                                + header.get().version() + " (expected: " + JournalFormat.VERSION + ")",
                        null);
            }
            headerSeen |= header.isPresent();
            unsyncedSeen |= header.isPresent() && !header.get().synced();
            if (header.isEmpty() || header.get().number() == number) {
                return new JournalFile(path, number, file.size(), header);
            }
            if (header.get().synced()) {
                throw damaged(path, 0);
            }
            return new JournalFile(path, number, 0, Optional.empty()); // begun again, and none of its bytes was written
        }
    }

    /**
     * Returns the valid files, oldest first: each but the last is named by the one behind it. A skipped file was never
     * used. With syncs, a header is on the disk before its file's first batch, so an incomplete header with bytes
     * behind it is damage. Without syncs, it is damage if the source is complete. Otherwise the power has failed, and
     * everything behind the gap is lost.
     */
    private Deque<Counted> chain(List<JournalFile> files) throws StorageException {
        Deque<Counted> chain = new ArrayDeque<>();
        FileHeader next = null;
        for (int i = files.size() - 1; i >= 0; i--) {
            JournalFile file = files.get(i);
            if (next == null ? file.isBegun() : file.isNamedBy(next)) {
                FileHeader header = file.header.orElse(null);
                if (header != null) {
                    chain.addFirst(count(file, header, next));
                } else if (source.isComplete() || (next == null ? !isUnsynced() : next.synced())) {
                    throw damaged(file.path, 0);
                } else {
                    LOG.warn("journal file lost; {} that follow it are dropped file={}", chain.size(), file.path);
                    chain.clear();
                }
                next = header;
            }
        }
        return chain;
    }

    private Counted count(JournalFile file, FileHeader header, @Nullable FileHeader next) throws StorageException {
        long end = next == null ? file.size : next.previousLength();
        boolean durable = header.synced() || source.isComplete();
        if (end > file.size && durable) {
            throw damaged(file.path, file.size);
        }
        boolean whole = end <= file.size;
        long there = Math.min(end, file.size);
        return new Counted(file.number, file.path, header.salt(), durable, there, whole, next == null);
    }

    /** Replays a file's batches; returns false if they end too early, so that the rest is lost. */
    private boolean replay(Counted counted) throws IOException, StorageException {
        try (StoredFile file = source.open(counted.number)) {
            long position = JournalFormat.FILE_HEADER_BYTES;
            while (position < counted.end) {
                Optional<BatchHeader> header = batchHeader(file, position, counted);
                Optional<ByteBuffer> items =
                        header.isPresent() ? items(file, position, header.get()) : Optional.empty();
                if (items.isEmpty()) {
                    if (isDamage(file, position, counted)) {
                        throw damaged(counted.path, position);
                    }
                    tellEnd(counted, position);
                    return false;
                }
                if (nextBatch >= 0 && header.get().number() != nextBatch) {
                    throw damaged(counted.path, position);
                }
                nextBatch = header.get().number() + 1;
                long at = position;
                apply(JournalFormat.readItems(items.get(), header.get().items())
                        .orElseThrow(() -> damaged(counted.path, at)));
                position += JournalFormat.BATCH_HEADER_BYTES + header.get().bytes();
            }
            if (!counted.whole) {
                tellEnd(counted, position);
            }
            return counted.whole;
        }
    }

    /** Returns whether an incomplete batch was damaged. Otherwise it is the last one, or a power failure took it. */
    private boolean isDamage(StoredFile file, long position, Counted counted) throws IOException {
        if (counted.durable && !counted.last) {
            return true;
        }
        return (counted.durable || source.isOnlyShortened()) && batchFollows(file, position + 1, counted);
    }

    /** The rest of the last file was never acknowledged. The rest of an earlier one was lost in a power failure. */
    private static void tellEnd(Counted counted, long position) {
        if (counted.last) {
            LOG.info("journal ends before its file does file={} position={}", counted.path, position);
        } else {
            LOG.warn("a power failure took the end of the journal file={} position={}", counted.path, position);
        }
    }

    /** Returns the header at a place, if it is whole and its batch ends at the end of the file's batches, or before. */
    private static Optional<BatchHeader> batchHeader(StoredFile file, long position, Counted counted)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(JournalFormat.BATCH_HEADER_BYTES);
        file.read(position, bytes);
        return JournalFormat.readBatchHeader(counted.salt, bytes.flip())
                .filter(header -> header.bytes() <= counted.end - position - JournalFormat.BATCH_HEADER_BYTES);
    }

    private static Optional<ByteBuffer> items(StoredFile file, long position, BatchHeader header) throws IOException {
        ByteBuffer items = ByteBuffer.allocate(header.bytes());
        file.read(position + JournalFormat.BATCH_HEADER_BYTES, items);
        items.flip();
        boolean whole = items.remaining() == header.bytes() && JournalFormat.crc(List.of(items)) == header.checksum();
        return whole ? Optional.of(items) : Optional.empty();
    }

    /** Returns whether a batch was begun at or behind a place: then all before it had been written. */
    private static boolean batchFollows(StoredFile file, long from, Counted counted) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SCAN_BYTES);
        int last = SCAN_BYTES - JournalFormat.BATCH_HEADER_BYTES;
        for (long start = from; start < counted.end; start += last + 1) {
            int read = file.read(start, bytes.clear());
            for (int at = 0; at + JournalFormat.BATCH_HEADER_BYTES <= read; at++) {
                if (bytes.getInt(at) == JournalFormat.BATCH_MAGIC
                        && JournalFormat.readBatchHeader(
                                        counted.salt, bytes.slice(at, JournalFormat.BATCH_HEADER_BYTES))
                                .isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    private void apply(List<Item> items) throws IOException, StorageException {
        batches++;
        for (Item item : items) {
            target.apply(item);
        }
    }

    private static StorageException damaged(String path, long position) {
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                "journal " + path + " is damaged at position " + position
                        + ", and acknowledged bytes follow or are lost",
                null);
    }
}
