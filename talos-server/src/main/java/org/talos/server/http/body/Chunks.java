// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.body;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.memory.RequestMemory;

/**
 * Bodies that are rendered before they can be written, into chunks. Each chunk is reserved before it is allocated, and
 * all are released together.
 *
 * <p>Confined: their maker, then the writer of the answer.
 */
public final class Chunks implements AutoCloseable {
    private static final int LARGEST_BYTES = 32 << 10;
    private static final int SMALLEST_BYTES = 256;
    private static final int FIRST_BYTES = 4 << 10; // at most: few texts become as long as they may
    private static final int MOST_UNUSED = 8; // an eighth of a chunk

    private final RequestMemory memory;
    private final List<ByteBuffer> chunks = new ArrayList<>(1);
    private long bytes;

    /** Creates chunks in memory of their own, which {@link #close} closes. */
    public Chunks(RequestMemory memory) {
        this.memory = memory;
    }

    /**
     * Appends a body.
     *
     * @throws RequestMemory.ExhaustedException there is no memory for it; nothing of the body has been added
     */
    public void add(Body body) {
        int chunksBefore = chunks.size();
        int positionBefore = chunksBefore == 0 ? 0 : last().position();
        long bytesBefore = bytes;
        try {
            while (!body.isDone()) {
                ByteBuffer chunk = withRoom(body);
                int start = chunk.position();
                body.fill(chunk);
                bytes += chunk.position() - start;
            }
        } catch (RequestMemory.ExhaustedException e) {
            while (chunks.size() > chunksBefore) {
                memory.release(chunks.remove(chunks.size() - 1).capacity());
            }
            if (chunksBefore > 0) {
                last().position(positionBefore);
            }
            bytes = bytesBefore;
            throw e;
        }
    }

    private ByteBuffer last() {
        return chunks.get(chunks.size() - 1);
    }

    private ByteBuffer withRoom(Body body) {
        if (!chunks.isEmpty() && last().remaining() >= Body.LEAST_ROOM_BYTES) {
            return last();
        }
        long likely = Math.min(body.mostBytes(), Math.max(FIRST_BYTES, bytes));
        int size = (int) Math.max(SMALLEST_BYTES, Math.min(LARGEST_BYTES, likely));
        memory.reserve(size);
        ByteBuffer chunk = ByteBuffer.allocate(size);
        chunks.add(chunk);
        return chunk;
    }

    /** Returns the number of bytes. */
    public long bytes() {
        return bytes;
    }

    /** Returns the number of reserved bytes: slightly more, once they are {@link #written}. */
    public long reservedBytes() {
        return chunks.stream().mapToLong(ByteBuffer::capacity).sum();
    }

    /** Renders a body to nowhere, and returns its length in bytes. */
    public static long measure(Body body) {
        ByteBuffer scratch = ByteBuffer.allocate(LARGEST_BYTES);
        long length = 0;
        while (!body.isDone()) {
            body.fill(scratch.clear());
            length += scratch.position();
        }
        return length;
    }

    /** Returns the chunks, to be written once. They may wait long for that. Nothing may be added after that. */
    public List<ByteBuffer> written() {
        chunks.forEach(ByteBuffer::flip);
        if (!chunks.isEmpty()) {
            trim(last());
        }
        return chunks;
    }

    /** Replaces the last chunk by a copy without its unused bytes, if these are many. */
    private void trim(ByteBuffer last) {
        int unused = last.capacity() - last.limit();
        if (unused > last.capacity() / MOST_UNUSED && memory.tryReserve(last.limit())) {
            chunks.set(
                    chunks.size() - 1,
                    ByteBuffer.allocate(last.limit()).put(last).flip());
            memory.release(last.capacity());
        }
    }

    /** Releases all chunks. May be called again. */
    @Override
    public void close() {
        memory.close();
    }
}
