// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stores segments: files that one owner appends to and then seals once, and that anyone may read at any time. The
 * metadata, not the store, knows which segments make up a log.
 *
 * <p>Thread-safe. Every call may block.
 */
public interface SegmentStore extends SegmentReader, AutoCloseable {
    /**
     * Creates an empty segment and opens it for its only writer.
     *
     * @param options its settings, as far as the store has a choice
     * @throws StorageException UNAVAILABLE: it may exist, empty; FENCED: it already exists
     */
    SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException;

    /** Like {@link #create(SegmentName, SegmentOptions)}, with the store's own options. */
    default SegmentWriter create(SegmentName name) throws StorageException {
        return create(name, SegmentOptions.DEFAULT);
    }

    /**
     * Fences every earlier writer of the segment, and then returns its length. After this returns, no append of an
     * earlier {@link SegmentWriter} completes. May be repeated, with the same result.
     *
     * @return length in bytes, at least all bytes ever acknowledged. The bytes past the last acknowledged append may be
     *     torn
     * @throws StorageException UNAVAILABLE: it is unknown whether the fence holds; CORRUPT: acknowledged bytes are
     *     lost, or there is no such segment, and none is created
     */
    long recover(SegmentName name) throws StorageException;

    /**
     * Returns the length up to which a recovered segment is whole unless it is damaged. The bytes behind it were
     * acknowledged before they were on the disk, and the power may have failed since. They may have holes, which are
     * not damage.
     */
    default long wholeTo(SegmentName name) {
        return Long.MAX_VALUE;
    }

    /**
     * Returns whether acknowledged appends may be missing at the end of a segment that was recovered and is not sealed:
     * they were not on a disk when they were acknowledged, and the power may have failed since.
     *
     * @param options of the segment's topic
     */
    default boolean mayLackItsEnd(SegmentName name, SegmentOptions options) {
        return false;
    }

    /**
     * Returns whether the bytes of a recovered segment from a position on may belong to an append that was never
     * acknowledged. Otherwise an incomplete append is damage.
     */
    default boolean mayBeTorn(SegmentName name, long position) {
        return true;
    }

    /**
     * Cuts a recovered segment to a length and makes that durable, to drop a torn tail.
     *
     * @throws StorageException UNAVAILABLE: may be repeated
     */
    void truncate(SegmentName name, long length) throws StorageException;

    /**
     * Another owner has sealed a segment, or deleted it with its log. From now on its files alone count, also for reads
     * through this store, which may have written it before. May be repeated. Blocks.
     */
    default void sealedByAnother(SegmentName name) throws StorageException {
        // Does nothing: a store that has only files has nothing to end.
    }

    /**
     * Abandons the segments of a log that this store was writing under an epoch and earlier ones: no one reads or
     * appends to them through this store any more, unless they are recovered first. Segments that another server has
     * fenced are dropped, now or once that becomes known: that server has all acknowledged bytes. All others are kept
     * until their bytes are in the segments' files. Does not wait.
     */
    default void endReads(LogId log, long epoch) {
        // Does nothing: a store that has only files has nothing to abandon.
    }

    /**
     * Returns the segments that the store has of a log, and the number of bytes in their files: all bytes of a sealed
     * segment, any number of others. May include segments that the metadata no longer knows. Takes one query for the
     * log, however many segments it has, where the store is remote.
     */
    Map<SegmentName, Long> lengths(LogId log) throws StorageException;

    /** Returns the names alone, in no order. */
    default List<SegmentName> list(LogId log) throws StorageException {
        return List.copyOf(lengths(log).keySet());
    }

    /** Deletes a segment and its index. Missing files are not an error. */
    void delete(SegmentName name) throws StorageException;

    /** Deletes all files of a log. Missing files are not an error. */
    void deleteLog(LogId log) throws StorageException;

    /**
     * Stores a small file beside a sealed segment, replacing an earlier one. A reader finds it complete or not at all.
     */
    void saveIndex(SegmentName name, byte[] index) throws StorageException;

    /** Returns the file stored by {@link #saveIndex}; empty if there is none. */
    Optional<byte[]> loadIndex(SegmentName name) throws StorageException;

    /** Returns whether an append may wait for a disk or a network on its caller's thread. */
    default boolean appendsWait() {
        return true;
    }

    /**
     * Writes out the bytes that are only in memory, and closes the store; writers fail from here on. May be called
     * twice.
     */
    @Override
    void close();
}
