// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.StoredFile;

/** Journals whose writes wait while they are shut: puts are under way meanwhile. Thread-safe. */
final class GatedJournals {
    private static final int SECONDS = 30;

    private final Semaphore gate = new Semaphore(1);
    private final boolean immediate;
    private volatile String writer = ""; // the thread of the last write, under way or done

    private GatedJournals(boolean immediate) {
        this.immediate = immediate;
    }

    /** The journals' own threads write, and wait. */
    static GatedJournals ofOwnThreads() {
        return new GatedJournals(false);
    }

    /** Whoever brings bytes writes, and waits: a selector, too. */
    static GatedJournals ofCallers() {
        return new GatedJournals(true);
    }

    void shut() {
        gate.acquireUninterruptibly();
    }

    void open() {
        gate.release();
    }

    /** Returns whether a write waits. */
    boolean isWaitedFor() {
        return gate.hasQueuedThreads();
    }

    /**
     * Returns whether the last write is one of the journal's own thread: it writes for a second once a write was slow,
     * and a caller writes otherwise.
     */
    boolean isOfJournal() {
        return writer.contains("journal");
    }

    private void pass() throws IOException {
        writer = Thread.currentThread().getName();
        try {
            if (!gate.tryAcquire(SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("a gate that nobody opens");
            }
            gate.release();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    JournalFiles around(JournalFiles real) {
        return new JournalFiles() {
            @Override
            public boolean synced() {
                return real.synced();
            }

            @Override
            public boolean survivesPowerFailures() {
                return real.survivesPowerFailures();
            }

            @Override
            public boolean isImmediate() {
                return immediate;
            }

            @Override
            public StoredFile begin(long number, ByteBuffer header) throws IOException {
                return new Gated(real.begin(number, header));
            }

            @Override
            public void end(long number, boolean sound) throws IOException {
                real.end(number, sound);
            }
        };
    }

    /** A file behind the gate. Thread-safe. */
    private final class Gated implements StoredFile {
        private final StoredFile real;

        Gated(StoredFile real) {
            this.real = real;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            pass();
            real.write(position, bytes);
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            return real.read(position, target);
        }

        @Override
        public void sync() throws IOException {
            real.sync();
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        public void truncate(long length) throws IOException {
            real.truncate(length);
        }

        @Override
        public void close() throws IOException {
            real.close();
        }
    }
}
