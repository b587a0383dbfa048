// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * The segment that a log appends to.
 *
 * <p>Confined: {@link #append} and {@link #position} are called under the appender's lock; {@link #create},
 * {@link #seal} and {@link #close} without it, by the thread that opens or closes the segment, the last two after the
 * last append.
 */
final class ActiveSegment {
    private final LogSegment segment;
    private final SegmentWriter writer;
    private final SparseIndex index;

    private ActiveSegment(LogSegment segment, SegmentWriter writer, SparseIndex index) {
        this.segment = segment;
        this.writer = writer;
        this.index = index;
    }

    /** Makes a segment: its row first, then its file. */
    static ActiveSegment create(
            LogSegment segment, SparseIndex index, SegmentStore store, SegmentOptions options, SegmentCatalog catalog)
            throws StorageException {
        catalog.add(segment.name());
        return new ActiveSegment(segment, store.create(segment.name(), options), index);
    }

    /** Where the next entry will begin. */
    long position() {
        return writer.length();
    }

    CompletableFuture<Void> append(List<ByteBuffer> bytes) {
        return writer.queue(bytes);
    }

    /** As {@link SegmentWriter#writeQueued}; thread-safe. */
    void writeQueued() {
        writer.writeQueued();
    }

    LogSegment segment() {
        return segment;
    }

    SparseIndex index() {
        return index;
    }

    /**
     * Seals the segment: everything in the file, the index beside it, then its row. Blocks.
     *
     * @param whole what it is expected to be
     * @throws StorageException UNAVAILABLE: it is not sealed
     */
    void seal(SegmentCatalog.Known whole, SegmentStore store, SegmentCatalog catalog) throws StorageException {
        long length = writer.seal();
        if (length != whole.bytes()) {
            throw new StorageException(
                    Reason.UNAVAILABLE,
                    Effect.UNKNOWN,
                    "segment " + whole.name() + " has " + length + " bytes (expected: " + whole.bytes() + ")",
                    null);
        }
        store.saveIndex(segment.name(), index.encode());
        catalog.seal(whole);
    }

    void close() {
        writer.close();
    }
}
