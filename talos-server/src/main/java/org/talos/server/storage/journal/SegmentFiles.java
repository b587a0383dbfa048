// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;

/**
 * The steps that differ between stores: the place of the files of segments and journals. {@link JournaledSegmentStore}
 * does the rest, and makes sure that only one thread at a time creates, recovers, or deletes a segment. Except for
 * {@link #create}, the calls are about segments that this server does not write.
 *
 * <p>Thread-safe. Every call may block.
 */
public interface SegmentFiles {
    /**
     * Creates an empty segment for its only writer.
     *
     * @param sealing runs when the writer seals it
     * @throws StorageException UNAVAILABLE: it may exist, empty; FENCED: it already exists
     */
    OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#read}. */
    int read(SegmentName name, long position, ByteBuffer target) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#recover}. */
    long recover(SegmentName name) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#wholeTo}. */
    default long wholeTo(SegmentName name) {
        return Long.MAX_VALUE;
    }

    /** As {@link org.talos.server.storage.SegmentStore#mayLackItsEnd}. */
    boolean mayLackItsEnd(SegmentName name, SegmentOptions options);

    /** As {@link org.talos.server.storage.SegmentStore#mayBeTorn}. */
    default boolean mayBeTorn(SegmentName name, long position) {
        return true;
    }

    /** As {@link org.talos.server.storage.SegmentStore#truncate}. */
    void truncate(SegmentName name, long length) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#lengths}. */
    Map<SegmentName, Long> lengths(LogId log) throws StorageException;

    /**
     * Keeps a replay of the journals from restoring a segment's bytes past the length to which it is about to be cut.
     */
    default void cutInJournal(SegmentName name, long length) throws StorageException {}

    /** As {@link org.talos.server.storage.SegmentStore#delete}. */
    void delete(SegmentName name) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#deleteLog}; none of its segments is being written any more. */
    void deleteLog(LogId log) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#saveIndex}. */
    void saveIndex(SegmentName name, byte[] index) throws StorageException;

    /** As {@link org.talos.server.storage.SegmentStore#loadIndex}. */
    Optional<byte[]> loadIndex(SegmentName name) throws StorageException;

    /** Returns the journals that there are now. */
    List<Journal> journals();

    /** As {@link org.talos.server.storage.SegmentStore#appendsWait}. */
    default boolean appendsWait() {
        return false;
    }

    /** Returns why nothing can be appended now, if that is so. */
    Optional<String> failure() throws IOException;

    /** Ends appending: writes the journals' queued items, and closes the journals. */
    void stop();

    /**
     * Releases everything. Called last, once.
     *
     * @param whole all acknowledged bytes are in the files of segments: no journal is needed any more
     */
    void close(boolean whole);

    /** Opens the files of a store. */
    @FunctionalInterface
    interface Opening {
        /**
         * Opens them, once, before anything else is called.
         *
         * @param copier copies from the journals into the segments
         * @param open the segments that this server writes at any time
         */
        SegmentFiles open(SegmentCopier copier, Collection<OpenSegment> open) throws IOException, StorageException;
    }
}
