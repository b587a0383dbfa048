// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.talos.server.storage.SegmentWriter;

/** A segment that this server writes. Thread-safe, but for its writer. */
interface OpenSegment {
    /** For the worker that holds the partition's key. */
    SegmentWriter writer();

    /** Reads acknowledged bytes. */
    int read(long position, ByteBuffer target) throws IOException;

    /** No further append; those under way go on to their end. */
    void fence();

    /** Waits for appends under way. */
    void awaitSettled() throws InterruptedException;

    /** Whether another server has taken what this segment's bytes went through: its files say what it holds. */
    boolean isLost();

    /** Once fenced and settled: brings all acknowledged bytes into closed files; returns their number. */
    long finish() throws IOException;

    /** Once fenced and settled: forgets what is in memory, without waiting for files to be closed. */
    void drop() throws IOException;
}
