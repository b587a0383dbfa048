// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.util.List;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.StoredFile;

/**
 * Acknowledges appends. A server does so from journals ({@link Sessions}); measurements compare other forms with it.
 *
 * <p>Thread-safe. Every call may block.
 */
public interface AppendForm {
    /** Creates the first files of segments that are not in a journal. Thread-safe. */
    @FunctionalInterface
    interface FileMaker {
        /**
         * Creates the first file of a segment. It remains the only one: after a failed write the segment accepts no
         * more.
         *
         * @throws org.apache.hadoop.fs.FileAlreadyExistsException it is there
         */
        StoredFile make(SegmentName name, SegmentOptions options) throws IOException;
    }

    /** Prepares for segments, before the first is created. */
    void start() throws IOException;

    /**
     * Creates a segment's first file, in an existing directory.
     *
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException it is there
     */
    OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing) throws IOException;

    /** Returns the journals that this server writes. */
    List<Journal> journals();

    /** Returns whether an append waits for DataNodes on its caller's thread. */
    default boolean appendsWait() {
        return false;
    }

    /** Returns whether this server writes the journals of a session, so that their contents are certain. */
    boolean isWriting(long session);

    /**
     * Ends what is no longer needed and could not be ended before. Called every few seconds; does not wait for HDFS.
     */
    default void endLeft() {}

    /** Ends appending. */
    void stop();

    /** Deletes what is no longer needed, now that all acknowledged bytes are in the files of segments. */
    void deleteJournals();
}
