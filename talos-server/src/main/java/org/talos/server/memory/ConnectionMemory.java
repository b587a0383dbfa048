// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

/**
 * The memory that is set aside for connections, and the number of connections that fit. Any client can bring a
 * connection into its most expensive state without a key, so the number of connections follows from that state. The
 * bytes of each state were measured, and are in bench/results/idle.md.
 *
 * <p>Immutable.
 *
 * @param connections that fit, open at once
 * @param heads number of HTTP/1.1 requests that may be incomplete at once, in addition to the memory of each connection
 * @param heapBytes of one connection, without such a head
 * @param directBytes of all buffers of connections
 */
public record ConnectionMemory(int connections, int heads, long heapBytes, long directBytes) {
    /** Connections get an eighth of the heap, or a quarter of the part beyond 256 MiB if that is more. */
    private static final int OF_HEAP = 8;

    private static final int OF_LARGE_HEAP = 4;
    private static final long SMALL_HEAP_BYTES = 256L << 20;
    private static final int OF_HEAP_FOR_HEADS = 32;

    /** Heap bytes of an idle HTTP/2 connection, the most expensive kind. The second value includes TLS state. */
    private static final long CLEAR_BYTES = 9 << 10;

    private static final long TLS_BYTES = 16 << 10;

    /** The parsed part of a head of 16 KiB with the most fields. */
    private static final long HEAD_BYTES = 40 << 10;

    /** An incomplete head of HTTP/2, of which Jetty keeps twice the bytes; with an incomplete TLS record. */
    private static final long CLEAR_DIRECT_BYTES = 33 << 10;

    private static final long TLS_DIRECT_BYTES = 54 << 10;

    /**
     * Returns the number that fits. A quarter of direct memory is left to files, and to the threads that write from the
     * heap.
     */
    public static ConnectionMemory of(long heapBytes, long directBytes, boolean isEncrypted) {
        long share = Math.max(heapBytes / OF_HEAP, (heapBytes - SMALL_HEAP_BYTES) / OF_LARGE_HEAP);
        long each = isEncrypted ? TLS_BYTES : CLEAR_BYTES;
        long direct = directBytes / 4 * 3;
        long directEach = isEncrypted ? TLS_DIRECT_BYTES : CLEAR_DIRECT_BYTES;
        return new ConnectionMemory(
                count(Math.min(share / each, direct / directEach)),
                count(heapBytes / OF_HEAP_FOR_HEADS / HEAD_BYTES),
                each,
                direct);
    }

    private static int count(long fitting) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, fitting));
    }

    /** Returns the bytes of heap that so many connections and all heads need. */
    public long heapFor(long open) {
        return open * heapBytes + heads * HEAD_BYTES;
    }
}
