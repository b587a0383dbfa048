// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;

/**
 * Appends to a segment by way of a journal.
 *
 * <p>Confined: {@link #append} and {@link #length} are called under the lock of the log; {@link #seal} and
 * {@link #close} after the last append, from any thread.
 */
final class JournaledWriter implements SegmentWriter {
    private final JournaledSegment segment;
    private final Journal journal;
    private final SegmentCopier copier;
    private final Sealing sealing;

    /** The writer of a segment that nobody else writes. */
    JournaledWriter(JournaledSegment segment, Journal journal, SegmentCopier copier, Sealing sealing) {
        this.segment = segment;
        this.journal = journal;
        this.copier = copier;
        this.sealing = sealing;
    }

    /** Brings all bytes of the fenced segment into its file. */
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
    public CompletableFuture<Void> queue(List<ByteBuffer> bytes) {
        try {
            int length = bytes.stream().mapToInt(ByteBuffer::remaining).sum();
            copier.reserve(length);
            copier.gathered(segment); // by the appends before this one
            boolean taken = false;
            try {
                CompletableFuture<Void> done = journal.append(segment, bytes, length);
                taken = true;
                return done;
            } finally {
                if (!taken) {
                    copier.release(length);
                }
            }
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
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
        segment.fence();
        return sealing.seal();
    }

    @Override
    public void close() {
        segment.release();
    }
}
