// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.StoredFile;

/**
 * Files of journals, whose writes fail or take long while another process says so by a file. They do so where a disk or
 * a DataNode would: below the journal, which sees an error of its file, and above the real file, which has what was
 * written before the error.
 *
 * <p>Thread-safe.
 */
final class FaultyJournals {
    private static final long LOOK_NANOS = 100_000_000;

    private final Path file;
    private final LongSupplier nanos;
    private final AtomicLong writes = new AtomicLong();
    private volatile Reading last;

    /** The content of the file, and when it was read. Immutable. */
    private record Reading(long nanos, JournalTrouble trouble) {}

    /** @param nanos a monotonic clock: the file is not read at each write */
    FaultyJournals(Path file, LongSupplier nanos) throws IOException {
        this.file = file;
        this.nanos = nanos;
        last = new Reading(nanos.getAsLong(), JournalTrouble.read(file));
    }

    /** The same files, with the faults that the file says. */
    JournalFiles around(JournalFiles own) {
        return new Files(own);
    }

    /** Returns the trouble for the next write. */
    private JournalTrouble next() throws IOException {
        Reading known = last;
        if (nanos.getAsLong() - known.nanos() > LOOK_NANOS) {
            known = new Reading(nanos.getAsLong(), JournalTrouble.read(file));
            last = known;
        }
        return writes.incrementAndGet() % known.trouble().oneIn() == 0 ? known.trouble() : JournalTrouble.NONE;
    }

    /** A journal's files. Thread-safe. */
    private final class Files implements JournalFiles {
        private final JournalFiles own;

        Files(JournalFiles own) {
            this.own = own;
        }

        @Override
        public boolean synced() {
            return own.synced();
        }

        @Override
        public boolean survivesPowerFailures() {
            return own.survivesPowerFailures();
        }

        @Override
        public boolean isImmediate() {
            return own.isImmediate();
        }

        @Override
        public StoredFile begin(long number, ByteBuffer header) throws IOException {
            return new FaultyFile(own.begin(number, header), own.synced());
        }

        @Override
        public boolean isTaken() {
            return own.isTaken();
        }

        @Override
        public void end(long number, boolean sound) throws IOException {
            own.end(number, sound);
        }
    }

    /** A file of a journal. Thread-safe as the file itself. */
    private final class FaultyFile implements StoredFile {
        private final StoredFile own;
        private final boolean synced;

        FaultyFile(StoredFile own, boolean synced) {
            this.own = own;
            this.synced = synced;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            JournalTrouble trouble = next();
            switch (trouble.how()) {
                case NONE -> own.write(position, bytes);
                case SLOW -> {
                    pause(trouble);
                    own.write(position, bytes);
                }
                case BEFORE -> throw error(trouble);
                case TORN -> {
                    own.write(position, half(bytes));
                    throw error(trouble);
                }
                case AFTER -> {
                    own.write(position, bytes);
                    if (synced) {
                        own.sync();
                    }
                    throw error(trouble);
                }
            }
        }

        private void pause(JournalTrouble trouble) throws IOException {
            try {
                Thread.sleep(trouble.by().toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        private IOException error(JournalTrouble trouble) {
            return new IOException("the check lets writes fail " + trouble.how().shown());
        }

        /** The first half of all bytes; the buffers' positions do not move. */
        private List<ByteBuffer> half(List<ByteBuffer> bytes) {
            int left = bytes.stream().mapToInt(ByteBuffer::remaining).sum() / 2;
            List<ByteBuffer> half = new ArrayList<>();
            for (ByteBuffer each : bytes) {
                int taken = Math.min(left, each.remaining());
                half.add(each.slice(each.position(), taken));
                left -= taken;
            }
            return half;
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            return own.read(position, target);
        }

        @Override
        public void sync() throws IOException {
            own.sync();
        }

        @Override
        public void syncToDisk() throws IOException {
            own.syncToDisk();
        }

        @Override
        public long size() throws IOException {
            return own.size();
        }

        @Override
        public void truncate(long length) throws IOException {
            own.truncate(length);
        }

        @Override
        public boolean isDegraded() {
            return own.isDegraded();
        }

        @Override
        public void abandon() throws IOException {
            own.abandon();
        }

        @Override
        public void close() throws IOException {
            own.close();
        }
    }
}
