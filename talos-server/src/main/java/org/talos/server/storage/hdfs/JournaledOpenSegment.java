// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.JournaledWriter;
import org.talos.server.storage.journal.SegmentCopier;

/** A segment whose appends are acknowledged from one of a session's journals. Thread-safe, but for its writer. */
final class JournaledOpenSegment implements OpenSegment {
    private final JournaledSegment segment;
    private final Session session;
    private final SegmentCopier copier;
    private final JournaledWriter writer;

    JournaledOpenSegment(
            JournaledSegment segment,
            Session session,
            Journal journal,
            SegmentCopier copier,
            JournaledWriter.Settling settling) {
        this.segment = segment;
        this.session = session;
        this.copier = copier;
        writer = new JournaledWriter(segment, journal, copier, settling);
    }

    JournaledSegment segment() {
        return segment;
    }

    Session session() {
        return session;
    }

    @Override
    public SegmentWriter writer() {
        return writer;
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
        segment.awaitSettled();
    }

    @Override
    public boolean isLost() {
        return session.isFenced();
    }

    @Override
    public long finish() throws IOException {
        copier.copy(segment);
        segment.close();
        return segment.durableLength();
    }

    @Override
    public void drop() throws IOException {
        copier.release(segment.drop());
    }
}
