// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;

/** A segment whose appends are acknowledged from a journal. Thread-safe, except for its writer. */
public final class JournaledOpenSegment implements OpenSegment {
    private final JournaledSegment segment;
    private final Journal journal;
    private final SegmentCopier copier;
    private final Ending ending;
    private final JournaledWriter writer;

    /**
     * Creates a segment that has no other writer.
     *
     * @param onDisk whether bytes that the journal acknowledges are on the disk
     */
    public JournaledOpenSegment(
            JournaledSegment segment,
            Journal journal,
            SegmentCopier copier,
            Sealing sealing,
            Ending ending,
            boolean onDisk) {
        this.segment = segment;
        this.journal = journal;
        this.copier = copier;
        this.ending = ending;
        writer = new JournaledWriter(segment, journal, copier, () -> sealing.seal(this), onDisk);
    }

    /** The steps at a segment's end that differ between stores. Thread-safe. */
    public interface Ending {
        /** As {@link OpenSegment#isLost}. */
        boolean isLost();

        /** As {@link OpenSegment#finish}. */
        void finish(JournaledSegment segment) throws IOException, StorageException;

        /** As {@link OpenSegment#close}. */
        void close(JournaledSegment segment) throws IOException;

        /** The segment was dropped: the journal is not needed for it. */
        default void dropped(JournaledSegment segment) {}
    }

    @Override
    public SegmentWriter writer() {
        return writer;
    }

    @Override
    public Optional<Journal> journal() {
        return Optional.of(journal);
    }

    @Override
    public Optional<JournaledSegment> journaled() {
        return Optional.of(segment);
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
        return segment.read(position, target);
    }

    @Override
    public void fence() {
        segment.fence();
    }

    @Override
    public void awaitSettled() throws InterruptedException {
        journal.awaitSettled(segment);
    }

    @Override
    public boolean isLost() {
        return ending.isLost();
    }

    @Override
    public long finish() throws IOException, StorageException {
        ending.finish(segment);
        if (segment.isGone()) { // taken for whole, it would be sealed without the bytes in memory
            throw new IOException("segment " + segment.name() + " was abandoned while it was written out");
        }
        return segment.durableLength();
    }

    @Override
    public void drop() throws IOException {
        try {
            copier.release(segment.drop());
        } finally {
            ending.dropped(segment);
        }
    }

    @Override
    public void close() throws IOException {
        ending.close(segment);
    }
}
