// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Collects written bytes as a list of buffers. Small pieces are copied together, and large ones kept by reference, so
 * that a block of messages is sent without a copy. Copied bytes are not copied again: a full chunk is followed by
 * another one, and a chunk with room continues behind a piece that is kept by reference.
 *
 * <p>Confined: one writer.
 */
public final class ChunkedOutput extends TTransport {
    private static final int BY_REFERENCE_FROM_BYTES = 512;
    private static final int FIRST_CHUNK_BYTES = 256;
    private static final int LARGEST_CHUNK_BYTES = 1 << 16;

    private final List<ByteBuffer> done = new ArrayList<>();
    private byte[] chunk = new byte[FIRST_CHUNK_BYTES];
    private int begin; // of bytes that are not in the chunk
    private int used;

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (length >= BY_REFERENCE_FROM_BYTES) {
            endPiece();
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
            endPiece();
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
            endPiece();
            chunk = new byte[Math.min(2 * chunk.length, LARGEST_CHUNK_BYTES)]; // always larger than a copied piece
            begin = 0;
            used = 0;
        }
    }

    private void endPiece() {
        if (used > begin) {
            done.add(ByteBuffer.wrap(chunk, begin, used - begin).slice());
            begin = used;
        }
    }

    /** Returns the buffers in order; nothing may be written afterwards. */
    public List<ByteBuffer> finish() {
        endPiece();
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
        // only a reader has a known size
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
