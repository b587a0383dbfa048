// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.StoredFile;

/**
 * The files of a journal: one byte of switches (1: their checksums are made right first, 2: it was written without
 * syncs unless it says otherwise), then each file after its length of two bytes.
 *
 * <p>Immutable.
 */
public final class JournalFuzz {
    /** An item of 48 bytes is a segment's name with the topic's as text, and is written and read again. */
    private static final int MULTIPLE = 100;

    private static final int MOST_FILES = 8;
    private static final int SALT_AT = 40;

    private JournalFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(input);
        int switches = Fuzzed.next(in);
        List<byte[]> files = new ArrayList<>();
        while (in.remaining() > 2 && files.size() < MOST_FILES) {
            byte[] file = new byte[Math.min(in.getShort() & 0xffff, in.remaining())];
            in.get(file);
            files.add((switches & 1) == 0 ? file : repaired(file));
        }
        Fuzzed.within(input.length, MULTIPLE, () -> replay(files, (switches & 2) != 0));
    }

    private static void replay(List<byte[]> files, boolean unsynced) throws IOException {
        List<Item> items = new ArrayList<>();
        JournalReplay replay = new JournalReplay(new Files(files), items::add, unsynced);
        try {
            long batches = replay.run();
            Fuzzed.same(batches > 0 || items.isEmpty(), true);
        } catch (StorageException e) {
            Fuzzed.same(e.reason(), StorageException.Reason.CORRUPT);
        }
        if (!items.isEmpty()) {
            readAgain(items);
        }
    }

    private static void readAgain(List<Item> items) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (Item item : items) {
            int length = item.cut() ? -1 : item.bytes().remaining();
            written.writeBytes(JournalFormat.itemHeader(item.segment(), item.position(), length)
                    .array());
            written.writeBytes(Fuzzed.rest(item.bytes().duplicate()));
        }
        Optional<List<Item>> again = JournalFormat.readItems(ByteBuffer.wrap(written.toByteArray()), items.size());
        Fuzzed.same(again, Optional.of(items));
    }

    /** The file with the checksums that its bytes call for. */
    static byte[] repaired(byte[] given) {
        if (given.length < JournalFormat.FILE_HEADER_BYTES) {
            return given;
        }
        byte[] bytes = given.clone();
        ByteBuffer file = ByteBuffer.wrap(bytes);
        int checksumAt = JournalFormat.FILE_HEADER_BYTES - Integer.BYTES;
        file.putInt(checksumAt, JournalFormat.crc(bytes, 0, checksumAt));
        long salt = file.getLong(SALT_AT);
        int at = JournalFormat.FILE_HEADER_BYTES;
        while (bytes.length - at >= JournalFormat.BATCH_HEADER_BYTES) {
            int itemsAt = at + JournalFormat.BATCH_HEADER_BYTES;
            int items = file.getInt(at + 12);
            int length = file.getInt(at + 16);
            if (length < 0 || length > bytes.length - itemsAt) {
                break;
            }
            int checksum = JournalFormat.crc(bytes, itemsAt, length);
            file.put(
                    at,
                    JournalFormat.batchHeader(salt, file.getLong(at + 4), items, length, checksum)
                            .array());
            at = itemsAt + length;
        }
        return bytes;
    }

    /** A journal of two files as they are written, without the input's first byte. */
    static byte[] sample(List<Item> items, boolean synced) {
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        long previous = 0;
        for (long number = 1; number <= 2; number++) {
            ByteArrayOutputStream batch = new ByteArrayOutputStream();
            for (Item item : items) {
                int length = item.cut() ? -1 : item.bytes().remaining();
                batch.writeBytes(JournalFormat.itemHeader(item.segment(), item.position(), length)
                        .array());
                batch.writeBytes(Fuzzed.rest(item.bytes().duplicate()));
            }
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.writeBytes(JournalFormat.fileHeader(number, number - 1, previous, 7, synced)
                    .array());
            int checksum = JournalFormat.crc(batch.toByteArray(), 0, batch.size());
            file.writeBytes(JournalFormat.batchHeader(7, number, items.size(), batch.size(), checksum)
                    .array());
            file.writeBytes(batch.toByteArray());
            previous = file.size();
            input.write(file.size() >> 8);
            input.write(file.size());
            input.writeBytes(file.toByteArray());
        }
        return input.toByteArray();
    }

    private record Files(List<byte[]> files) implements JournalReplay.Source {
        @Override
        public List<Long> numbers() {
            return LongStream.rangeClosed(1, files.size()).boxed().toList();
        }

        @Override
        public StoredFile open(long number) {
            return new InMemory(files.get((int) number - 1));
        }

        @Override
        public String name(long number) {
            return "file " + number;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record InMemory(byte[] bytes) implements StoredFile {
        @Override
        public int read(long position, ByteBuffer target) {
            int length = (int) Math.max(0, Math.min(target.remaining(), bytes.length - position));
            target.put(bytes, (int) Math.min(position, bytes.length), length);
            return length;
        }

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void write(long position, List<ByteBuffer> more) {
            throw new AssertionError("a replay that writes");
        }

        @Override
        public void truncate(long length) {
            throw new AssertionError("a replay that cuts");
        }

        @Override
        public void sync() {}

        @Override
        public void close() {}
    }
}
