// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import org.talos.server.storage.journal.JournalListener;

/** Hears what the store does in HDFS. Thread-safe; must not block. */
@FunctionalInterface
public interface HdfsListener extends JournalListener {
    /** The server has new journals. */
    default void sessionBegun() {}

    /** Another server's journals were taken from it and brought in: so many bytes, in so long each. */
    default void sessionBroughtIn(long bytes, long fenceNanos, long replayNanos) {}

    /** A file was taken from its writer, who had not closed it. */
    default void leaseRecovered(long nanos) {}

    /** So many bytes were read for a client or for an opening. */
    default void bytesRead(long bytes, long nanos) {}
}
