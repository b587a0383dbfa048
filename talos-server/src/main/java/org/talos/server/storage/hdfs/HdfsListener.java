// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.storage.journal.JournalListener;

/** Is notified of the store's actions in HDFS. Thread-safe; must not block. */
@FunctionalInterface
public interface HdfsListener extends JournalListener {
    /**
     * Returns the form of appends to use in place of the store's own.
     *
     * @param own the store's own, which is not started yet
     * @param files makes the files of segments that stand in no journal
     */
    default AppendForm around(AppendForm own, AppendForm.FileMaker files) {
        return own;
    }

    /** The store has created a pool of threads for its background work. */
    default void poolMade(BackgroundPool pool) {}

    /** The server has begun a session with new journals. */
    default void sessionBegun() {}

    /** Another server's journals were fenced, and this number of their bytes was replayed. */
    default void sessionReplayed(long bytes, long fenceNanos, long replayNanos) {}

    /** The lease of a file that its writer had not closed was recovered, in this time. */
    default void leaseRecovered(long nanos) {}

    /** This number of bytes was read from segments' files, in this time. */
    default void bytesRead(long bytes, long nanos) {}
}
