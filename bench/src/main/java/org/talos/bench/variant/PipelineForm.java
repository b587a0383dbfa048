// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.memory.Buffers;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.hdfs.AppendForm;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.StoredFile;

/**
 * Works without journals: an append is acknowledged from its segment's own file, by one flush on the worker that
 * appends. What it shows is in docs/decisions/hdfs-journal.md.
 *
 * <p>Thread-safe.
 */
final class PipelineForm implements AppendForm {
    private final FileMaker files;
    private volatile boolean stopped;

    PipelineForm(FileMaker files) {
        this.files = files;
    }

    @Override
    public void start() {}

    @Override
    public boolean appendsWait() {
        return true;
    }

    @Override
    public OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing)
            throws IOException {
        return new PipelineSegment(name, files.make(name, options), sealing);
    }

    @Override
    public List<Journal> journals() {
        return List.of();
    }

    @Override
    public boolean isWriting(long session) {
        return false;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public void deleteJournals() {}

    private void refuseIfStopped() throws StorageException {
        if (stopped) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the store is closed", null);
        }
    }

    /** A segment that is written by flushes of its own file. Thread-safe. */
    private final class PipelineSegment implements OpenSegment, SegmentWriter {
        private final SegmentName name;
        private final StoredFile file;
        private final Sealing sealing;
        private volatile long length; // flushed bytes; written under the lock

        @GuardedBy("this")
        private @Nullable StorageException failure;

        PipelineSegment(SegmentName name, StoredFile file, Sealing sealing) {
            this.name = name;
            this.file = file;
            this.sealing = sealing;
        }

        @Override
        public SegmentWriter writer() {
            return this;
        }

        @Override
        public synchronized CompletableFuture<Void> append(List<ByteBuffer> bytes) {
            try {
                refuseIfStopped();
                if (failure != null) {
                    throw failure;
                }
                file.write(length, bytes);
                length = length + Buffers.bytes(bytes);
                return CompletableFuture.completedFuture(null);
            } catch (StorageException e) {
                return CompletableFuture.failedFuture(e);
            } catch (IOException e) {
                failure = StorageException.unavailable("segment " + name + " cannot be written", Effect.UNKNOWN, e);
                return CompletableFuture.failedFuture(failure);
            }
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public long seal() throws StorageException {
            fence();
            return sealing.seal(this);
        }

        /** Leaves the segment as it is until it is recovered. */
        @Override
        public void close() {
            fence();
        }

        @Override
        public Optional<Journal> journal() {
            return Optional.empty();
        }

        @Override
        public Optional<JournaledSegment> journaled() {
            return Optional.empty();
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            return file.read(position, target);
        }

        @Override
        public synchronized void fence() {
            if (failure == null) {
                failure = new StorageException(
                        Reason.FENCED, Effect.NONE, "segment " + name + " has another owner", null);
            }
        }

        /** An append is in flight only while it holds the lock. */
        @Override
        public synchronized void awaitSettled() {}

        @Override
        public boolean isLost() {
            return false;
        }

        @Override
        public synchronized long finish() throws IOException {
            file.close();
            return length;
        }

        @Override
        public synchronized void drop() throws IOException {
            file.abandon();
        }
    }
}
