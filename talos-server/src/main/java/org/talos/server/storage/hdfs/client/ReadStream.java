// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataInputStream;

/**
 * A file that is open for reading. Sequential readers get read-ahead: a reader that catches up makes many small
 * requests, and each request to a DataNode costs more than its few bytes.
 *
 * <p>Thread-safe.
 */
public final class ReadStream implements AutoCloseable {
    private static final int AHEAD_BYTES = 512 << 10;
    private static final byte[] NOTHING = {};

    private final FSDataInputStream in;

    @GuardedBy("this")
    private byte[] ahead = NOTHING; // replaced, never changed

    @GuardedBy("this")
    private long aheadPosition;

    @GuardedBy("this")
    private long next; // behind the last read

    /** @param in is closed with this */
    public ReadStream(FSDataInputStream in) {
        this.in = in;
    }

    /**
     * Fills the target from a position.
     *
     * @param end up to here the file has bytes
     * @throws EOFException it had fewer when it was opened
     */
    public void read(long position, ByteBuffer target, long end) throws IOException {
        int start = target.position();
        boolean inOrder;
        synchronized (this) {
            inOrder = position == next;
            next = position + target.remaining();
            takeAhead(position, target);
        }
        if (!target.hasRemaining()) {
            return;
        }
        long from = position + (target.position() - start);
        if (!inOrder || target.remaining() >= AHEAD_BYTES) {
            target.put(fetch(from, target.remaining()));
            return;
        }
        byte[] bytes = fetch(from, (int) Math.min(AHEAD_BYTES, end - from));
        target.put(bytes, 0, target.remaining());
        synchronized (this) {
            ahead = bytes;
            aheadPosition = from;
        }
    }

    @GuardedBy("this")
    private void takeAhead(long position, ByteBuffer target) {
        long offset = position - aheadPosition;
        if (offset >= 0 && offset < ahead.length) {
            target.put(ahead, (int) offset, (int) Math.min(target.remaining(), ahead.length - offset));
        }
    }

    private byte[] fetch(long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(position, bytes);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
