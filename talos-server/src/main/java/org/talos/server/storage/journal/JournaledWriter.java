// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;

/**
 * The writer's hold on a segment whose bytes go through a journal. Confined: the worker that holds the partition's key.
 */
public final class JournaledWriter implements SegmentWriter {
    private final JournaledSegment segment;
    private final Journal journal;
    private final SegmentCopier copier;
    private final Settling settling;

    /** Of a segment that nobody else writes. */
    public JournaledWriter(JournaledSegment segment, Journal journal, SegmentCopier copier, Settling settling) {
        this.segment = segment;
        this.journal = journal;
        this.copier = copier;
        this.settling = settling;
    }

    /** Brings everything of a fenced segment into its file. */
    @FunctionalInterface
    public interface Settling {
        /** Returns its final length in bytes. */
        long settle(JournaledSegment segment) throws StorageException;
    }

    @Override
    public CompletableFuture<Void> append(List<ByteBuffer> bytes) {
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
    public long length() {
        return segment.appendedLength();
    }

    @Override
    public long seal() throws StorageException {
        segment.fence();
        return settling.settle(segment);
    }

    @Override
    public void close() {
        segment.release();
    }
}
