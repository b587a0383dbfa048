// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.util.List;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.OpenSegment;

/**
 * How appends are acknowledged: from journals, by {@link Sessions}; or, as an experiment that measures what journals
 * save, by {@link PipelineForm}.
 *
 * <p>Thread-safe. Every call may block.
 */
interface AppendForm {
    /** Begins what segments need, before the first is made. */
    void start() throws IOException;

    /**
     * Makes a segment's first file, in a directory that is there.
     *
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException it is there
     */
    OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing) throws IOException;

    /** The journals that this server writes. */
    List<Journal> journals();

    /** Returns whether an append waits for DataNodes on its caller's thread. */
    default boolean appendsWait() {
        return false;
    }

    /** Returns whether this server writes the journals of a session, so that what they hold is not in doubt. */
    boolean isWriting(long session);

    /** Ends what is needed no more and could not be ended before. Asked every few seconds; does not wait for HDFS. */
    default void endLeft() {}

    /** Ends appending. */
    void stop();

    /** Deletes what is needed no more, now that all acknowledged bytes stand in the files of segments. */
    void deleteJournals();
}
