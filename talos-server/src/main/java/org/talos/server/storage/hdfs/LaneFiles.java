// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.storage.hdfs.client.WrittenFile;
import org.talos.server.storage.journal.JournalFencedException;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.StoredFile;

/**
 * Creates the files of one journal of a session. The next file is created before it is needed, and has its DataNodes by
 * then. A full one is closed while the next is already being written. So no put waits for the NameNode, or for
 * DataNodes to connect to each other.
 *
 * <p>Thread-safe.
 */
final class LaneFiles implements JournalFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LaneFiles.class);

    private final Hdfs hdfs;
    private final Path session;
    private final int lane;
    private final int replication;
    private final Durability durability;

    @GuardedBy("this")
    private @Nullable Prepared prepared;

    @GuardedBy("this")
    private long needed; // number of the last file that was begun

    @GuardedBy("this")
    private boolean naming; // a file gets its name

    private final AtomicBoolean closed = new AtomicBoolean();

    LaneFiles(Hdfs hdfs, Path session, int lane, int replication, Durability durability) {
        this.hdfs = hdfs;
        this.session = session;
        this.lane = lane;
        this.replication = replication;
        this.durability = durability;
    }

    /** A precreated file; {@code file} writes to {@code out}. */
    private record Prepared(long number, WrittenFile out, FlushedFile file) {}

    /** Each batch is flushed before the next is written: a whole one behind a broken one is damage. */
    @Override
    public boolean synced() {
        return true;
    }

    @Override
    public boolean survivesPowerFailures() {
        return durability == Durability.FSYNC;
    }

    @Override
    public StoredFile begin(long number, ByteBuffer header) throws IOException {
        Path path = path(number);
        Prepared made = takePrepared(number);
        try {
            FlushedFile file = made == null || isPutAside(made) ? new FlushedFile(hdfs, path, create(path)) : made.file;
            LaneFile begun = new LaneFile(hdfs, file, durability);
            writeHeader(begun, header);
            hdfs.prepareLater(() -> prepare(number + 1));
            return begun;
        } catch (FileNotFoundException e) {
            throw new JournalFencedException("session " + session.getName() + " was fenced", e);
        }
    }

    /** Writes the part of its header that the file does not have yet. */
    private static void writeHeader(LaneFile begun, ByteBuffer header) throws IOException {
        boolean whole = false;
        try {
            int there = Math.toIntExact(begun.size());
            begun.write(there, List.of(header.slice(there, header.remaining() - there)));
            whole = true;
        } finally {
            if (!whole) {
                begun.abandon();
            }
        }
    }

    private Path path(long number) {
        return HdfsPaths.journal(session, lane, number);
    }

    /**
     * Creates a file that is needed now. If its name is taken, the file with that name was created in advance, and the
     * answer to its renaming was lost. It is moved out of the way: no other process creates files of this session, and
     * each number is begun once.
     */
    private WrittenFile create(Path path) throws IOException {
        try {
            return hdfs.create(path, replication);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("state of a precreated file unknown path={}", path, e);
            putAside(path); // not deleted: it may be open, and will be closed
            WrittenFile out = hdfs.create(path, replication);
            hdfs.closeLater(() -> hdfs.delete(aside(path))); // the thread that closes it may have looked there before
            return out;
        }
    }

    private void putAside(Path path) throws IOException {
        if (!hdfs.rename(path, aside(path))) {
            throw new FileAlreadyExistsException(aside(path) + " is there");
        }
    }

    /** Returns the name of a file that is not needed yet, or not any more: a replay of the session ignores it. */
    private static Path aside(Path path) {
        return HdfsPaths.beside(path, 0);
    }

    /** Returns whether the file has fewer DataNodes by now than at its creation; if so, its name is free. */
    private boolean isPutAside(Prepared made) throws IOException {
        if (!made.file.hasLostReplicas()) {
            return false;
        }
        Path path = made.file.path();
        LOG.info("precreated file lost a DataNode, creating another path={}", path);
        boolean free = false;
        try {
            putAside(path);
            free = true;
        } finally { // without a free name the number is never begun, and this file has one of the two names
            drop(made, free ? List.of(aside(path)) : List.of(aside(path), path));
        }
        return true;
    }

    /** Waits while a file is being renamed: its number may be this one. */
    private synchronized @Nullable Prepared takePrepared(long number) throws IOException {
        awaitNames();
        needed = number;
        Prepared next = prepared;
        prepared = null;
        if (next == null || next.number == number) {
            return next;
        }
        drop(next, List.of(path(next.number)));
        return null;
    }

    private void prepare(long number) throws IOException {
        Path path = path(number);
        if (!isToCome(number)) {
            return; // others held this up
        }
        WrittenFile out = createAside(path);
        Prepared next = new Prepared(number, out, new FlushedFile(hdfs, path, out));
        connect(next);
        boolean kept = false;
        try {
            kept = keep(next);
        } finally {
            if (!kept) {
                drop(next, List.of(aside(path)));
            }
        }
    }

    private WrittenFile createAside(Path path) throws IOException {
        try {
            return hdfs.create(aside(path), replication);
        } catch (IOException | RuntimeException e) {
            hdfs.closeLater(() -> hdfs.delete(aside(path))); // only the answer may be lost
            throw e;
        }
    }

    private synchronized boolean isToCome(long number) {
        return number > needed && !closed.get();
    }

    /**
     * A file whose DataNodes cannot be reached is deleted before it is closed: it could not be closed if their disks
     * were full.
     */
    private void connect(Prepared next) throws IOException {
        boolean connected = false;
        try {
            next.file.write(List.of(JournalFormat.fileMagic()));
            next.file.flush(durability);
            connected = true;
        } finally {
            if (!connected) {
                undo(next);
            }
        }
    }

    private void undo(Prepared failed) throws IOException {
        try {
            hdfs.delete(aside(path(failed.number)));
        } finally {
            hdfs.closeLater(failed.out::close);
        }
    }

    /**
     * Renames a file unless that is too late. A file whose number was written and deleted long ago would be taken for
     * damage, as it is empty and the next one names it. The thread that begins the number waits for this.
     */
    private boolean keep(Prepared next) throws IOException {
        synchronized (this) {
            awaitNames();
            if (!isToCome(next.number) || prepared != null) {
                return false;
            }
            naming = true;
        }
        Path path = path(next.number);
        boolean kept = false;
        try {
            kept = hdfs.rename(aside(path), path);
        } finally {
            named(kept ? next : null);
        }
        return kept;
    }

    private synchronized void named(@Nullable Prepared kept) {
        prepared = kept;
        naming = false;
        notifyAll();
    }

    /** Not under the monitor while the NameNode answers: threads that only look at the files must not wait for it. */
    @GuardedBy("this")
    private void awaitNames() throws IOException {
        while (naming) {
            try {
                hdfs.threads().await(this, 0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException) new InterruptedIOException("interrupted while a file gets its name").initCause(e);
            }
        }
    }

    private void drop(Prepared surplus, List<Path> names) {
        hdfs.closeLater(() -> closeAndDelete(surplus, names));
    }

    private void closeAndDelete(Prepared surplus, List<Path> names) throws IOException {
        try {
            surplus.out.close();
        } finally { // it may have no DataNode any more
            for (Path name : names) {
                hdfs.delete(name);
            }
        }
    }

    @Override
    public boolean isTaken() {
        try {
            return !hdfs.exists(session);
        } catch (IOException | RuntimeException | Error e) { // otherwise the asking writer's batch would never fail
            LOG.debug("session fencing unknown", e);
            return false; // making the next file will show it
        }
    }

    @Override
    public void end(long number, boolean sound) throws IOException {
        hdfs.delete(path(number));
    }

    /** Closes and deletes the precreated file. Does not wait for the NameNode; may be called again. */
    void close() {
        if (closed.compareAndSet(false, true)) {
            hdfs.closeLater(() -> {
                Prepared last = takeLast();
                if (last != null) {
                    closeAndDelete(last, List.of(path(last.number)));
                }
            });
        }
    }

    private synchronized @Nullable Prepared takeLast() throws IOException {
        awaitNames();
        Prepared last = prepared;
        prepared = null;
        return last;
    }

    /** A journal file that is being written. Confined: to the journal's writer. */
    private static final class LaneFile implements StoredFile {
        private final Hdfs hdfs;
        private final FlushedFile file;
        private final Durability durability;

        LaneFile(Hdfs hdfs, FlushedFile file, Durability durability) {
            this.hdfs = hdfs;
            this.file = file;
            this.durability = durability;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            if (position != file.length()) {
                throw new IOException(
                        file.path() + " is written at " + position + " (expected: " + file.length() + ")");
            }
            file.write(bytes);
        }

        @Override
        public void sync() throws IOException {
            file.flush(durability);
        }

        @Override
        public boolean isDegraded() {
            return file.hasLostReplicas();
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            throw new IOException(file.path() + " is written, not read");
        }

        @Override
        public long size() {
            return file.length();
        }

        @Override
        public void truncate(long length) throws IOException {
            throw new IOException(file.path() + " is only ever added to");
        }

        @Override
        public void close() {
            hdfs.closeLater(file::close);
        }

        @Override
        public void abandon() {
            file.discard();
        }
    }
}
