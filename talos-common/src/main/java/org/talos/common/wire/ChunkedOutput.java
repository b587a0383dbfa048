// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Collects written bytes as a list of buffers. Small pieces are copied together, large ones kept by reference, so that
 * a block of messages is sent without a copy.
 *
 * <p>Confined: one writer.
 */
public final class ChunkedOutput extends TTransport {
    private static final int BY_REFERENCE_FROM_BYTES = 4096;
    private static final int FIRST_CHUNK_BYTES = 256;

    private final List<ByteBuffer> done = new ArrayList<>();
    private byte[] chunk = new byte[FIRST_CHUNK_BYTES];
    private int used;

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (length >= BY_REFERENCE_FROM_BYTES) {
            endChunk();
            done.add(ByteBuffer.wrap(bytes, offset, length).slice());
            return;
        }
        makeRoom(length);
        System.arraycopy(bytes, offset, chunk, used, length);
        used += length;
    }

    /** Without this, the library copies every binary into a new array before it writes it. */
    @Override
    public int write(ByteBuffer bytes) {
        int length = bytes.remaining();
        if (length >= BY_REFERENCE_FROM_BYTES) {
            endChunk();
            done.add(bytes.slice());
            bytes.position(bytes.limit());
        } else {
            makeRoom(length);
            bytes.get(chunk, used, length);
            used += length;
        }
        return length;
    }

    private void makeRoom(int length) {
        if (length > chunk.length - used) {
            grow(length);
        }
    }

    private void grow(int length) {
        byte[] larger = new byte[Math.max(used + length, Math.min(2 * chunk.length, 1 << 16))];
        if (used + length > larger.length) {
            throw new IllegalStateException("chunk of " + larger.length);
        }
        System.arraycopy(chunk, 0, larger, 0, used);
        chunk = larger;
    }

    private void endChunk() {
        if (used > 0) {
            done.add(ByteBuffer.wrap(chunk, 0, used).slice());
            chunk = new byte[FIRST_CHUNK_BYTES];
            used = 0;
        }
    }

    /** The buffers in order; nothing may be written afterwards. */
    public List<ByteBuffer> finish() {
        endChunk();
        return done;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open() {
        // always open
    }

    @Override
    public void close() {
        // holds no resources
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws TTransportException {
        throw new TTransportException(TTransportException.UNKNOWN, "output only");
    }

    @Override
    public TConfiguration getConfiguration() {
        return TConfiguration.DEFAULT;
    }

    @Override
    public void updateKnownMessageSize(long size) {
        // only what is read has a known size
    }

    @Override
    public void checkReadBytesAvailable(long bytes) {
        // nothing is read
    }

    @Override
    public void resetMessageSizeAndConsumedBytes(long size) {
        // nothing is read
    }
}
