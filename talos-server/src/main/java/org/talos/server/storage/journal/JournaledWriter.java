// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.common.error.Effect;
import org.talos.server.memory.Buffers;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Appends to a segment through a journal.
 *
 * <p>Confined: {@link #reserve}, {@link #append} and {@link #length} are called under the lock of the log;
 * {@link #sync}, {@link #seal} and {@link #close} after the last append, from any thread.
 */
final class JournaledWriter implements SegmentWriter {
    private static final CompletableFuture<Void> RESERVED = CompletableFuture.completedFuture(null);

    private final JournaledSegment segment;
    private final Journal journal;
    private final SegmentCopier copier;
    private final Sealing sealing;
    private final boolean onDisk;

    @GuardedBy("this")
    private long reservedBytes; // for the next append

    @GuardedBy("this")
    private boolean ended;

    /**
     * Creates the writer of a segment that has no other writer.
     *
     * @param onDisk whether bytes that the journal acknowledges are on the disk
     */
    JournaledWriter(JournaledSegment segment, Journal journal, SegmentCopier copier, Sealing sealing, boolean onDisk) {
        this.onDisk = onDisk;
        this.segment = segment;
        this.journal = journal;
        this.copier = copier;
        this.sealing = sealing;
    }

    /** Writes all bytes of the fenced segment to its file. */
    @FunctionalInterface
    interface Sealing {
        /** Returns the segment's final length in bytes. */
        long seal() throws StorageException;
    }

    @Override
    public CompletableFuture<Void> append(List<ByteBuffer> bytes) {
        CompletableFuture<Void> done = queue(bytes);
        writeQueued();
        return done;
    }

    @Override
    public CompletableFuture<Void> reserve(long bytes) {
        if (copier.tryReserve(segment, bytes)) {
            reserved(bytes);
            return RESERVED;
        }
        return copier.reserve(segment, bytes).thenRun(() -> reserved(bytes));
    }

    private void reserved(long bytes) {
        synchronized (this) {
            if (!ended) {
                reservedBytes += bytes;
                return;
            }
        }
        copier.release(bytes); // nothing will be appended any more
    }

    private synchronized long takeReserved() {
        long taken = reservedBytes;
        reservedBytes = 0;
        return taken;
    }

    @Override
    public void giveBack() {
        copier.release(takeReserved());
    }

    @Override
    public CompletableFuture<Void> queue(List<ByteBuffer> bytes) {
        long length = Buffers.bytes(bytes);
        long surplus = takeReserved() - length;
        if (length > Integer.MAX_VALUE || (surplus < 0 && !copier.tryReserve(segment, -surplus))) {
            copier.release(length + surplus);
            return CompletableFuture.failedFuture(
                    new StorageException(Reason.BUSY, Effect.NONE, "no memory for the append", null));
        }
        if (surplus > 0) {
            copier.release(surplus);
        }
        copier.gathered(segment); // by the appends before this one
        boolean taken = false;
        try {
            CompletableFuture<Void> done = journal.append(segment, bytes, (int) length);
            taken = true;
            return done;
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            if (!taken) {
                copier.release(length);
            }
        }
    }

    @Override
    public boolean outlivesPowerFailure() {
        return onDisk;
    }

    @Override
    public void sync() throws StorageException {
        try {
            copier.copy(segment);
            segment.sync();
            segment.syncToDisk();
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + segment.name() + " cannot be synced", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void writeQueued() {
        journal.writeQueued();
    }

    @Override
    public long length() {
        return segment.appendedLength();
    }

    @Override
    public long seal() throws StorageException {
        end();
        segment.fence();
        return sealing.seal();
    }

    @Override
    public void close() {
        end();
        segment.release();
    }

    private void end() {
        synchronized (this) {
            ended = true;
        }
        giveBack();
    }
}
