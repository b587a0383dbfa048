// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.util.Map;

/**
 * The values of {@code auto} for settings that are decided once, at the start. The number of a pool's workers is not
 * one of them: its right value changes while the server runs.
 *
 * <ul>
 *   <li>{@code http.workers}: Jetty's threads wait for nothing, so their number follows from the processors alone: four
 *       for each, one of them selecting, so that there is one to continue where another one parses or decrypts.
 *   <li>{@code maxBatch} of puts: a batch has the puts that arrived while the previous one ran, so its size follows
 *       from the load. The limit bounds how long other tasks of the worker wait behind a batch, and the size of one
 *       write. Neither depends on the machine, and the limit is reached only where a store is delayed.
 *   <li>{@code maxBatch} of all else: 1, since tasks of reads and of control gain nothing by running together.
 * </ul>
 *
 * <p>Memory limits are shares of the heap, whose size the JVM takes from the container: an eighth for requests, of
 * which the collector needs four times as much; a sixteenth each for the newest messages, for repeated puts, and for
 * data that waits for its segment; an eighth for requests between servers. That is all but an eighth of the heap. At 2
 * GiB, this was found to be enough for two processors. The largest request stays possible in the smallest heap. No
 * share grows without limit: beyond a size, it costs more to read the data again after a crash, or to collect it, than
 * it is worth.
 *
 * <p>Immutable.
 *
 * @param processors that the process may use, as the JVM has it from the container
 * @param heapBytes of the heap, at most
 */
record AutoValues(int processors, long heapBytes) {
    private static final String AUTO = "auto";
    private static final int LEAST_HTTP_WORKERS = 8;
    private static final int HTTP_WORKERS_FOR_EACH = 4;
    private static final int PUTS_OF_A_BATCH = 256;

    private static final int OF_HEAP_FOR_REQUESTS = 8;
    private static final int OF_HEAP_FOR_TRANSFER = 8;
    private static final int OF_HEAP_FOR_OTHERS = 16;
    private static final long LEAST_BYTES = 1 << 20;
    private static final long MOST_REQUEST_BYTES = 4L << 30;
    private static final long MOST_TRANSFER_BYTES = 2L << 30;
    private static final long MOST_TAIL_BYTES = 4L << 30;
    private static final long MOST_DEDUPE_BYTES = 1L << 30;
    private static final long MOST_UNWRITTEN_BYTES = 512L << 20;

    /** The values for this JVM. */
    static AutoValues ofThisJvm() {
        return new AutoValues(
                Runtime.getRuntime().availableProcessors(), Runtime.getRuntime().maxMemory());
    }

    /** Puts them where {@code auto} is. */
    void into(Map<String, String> texts) {
        set(texts, "http.workers", Math.max(LEAST_HTTP_WORKERS, HTTP_WORKERS_FOR_EACH * processors));
        set(texts, "dispatch.put.maxBatch", PUTS_OF_A_BATCH);
        set(texts, "dispatch.get.maxBatch", 1);
        set(texts, "dispatch.control.maxBatch", 1);
        long largest = Math.max(bytes(texts, "http.maxBodyBytes"), bytes(texts, "service.maxGetBytes"));
        set(texts, "http.maxRequestMemoryBytes", share(OF_HEAP_FOR_REQUESTS, largest, MOST_REQUEST_BYTES));
        long frame = bytes(texts, "transfer.maxFrameBytes");
        set(texts, "transfer.maxMemoryBytes", share(OF_HEAP_FOR_TRANSFER, frame, MOST_TRANSFER_BYTES));
        set(texts, "log.tailCacheBytes", share(OF_HEAP_FOR_OTHERS, LEAST_BYTES, MOST_TAIL_BYTES));
        set(texts, "log.dedupeBytes", share(OF_HEAP_FOR_OTHERS, LEAST_BYTES, MOST_DEDUPE_BYTES));
        set(texts, "log.maxUnwrittenBytes", share(OF_HEAP_FOR_OTHERS, LEAST_BYTES, MOST_UNWRITTEN_BYTES));
    }

    private long share(int part, long least, long most) {
        return Math.max(least, Math.min(most, heapBytes / part));
    }

    /** Returns the configured bytes; 0 if the value is invalid, which is refused when the record is made. */
    private static long bytes(Map<String, String> texts, String key) {
        try {
            return ScalarParser.size(texts.getOrDefault(key, ""));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return 0;
        }
    }

    private static void set(Map<String, String> texts, String key, long value) {
        if (AUTO.equals(texts.get(key))) {
            texts.put(key, Long.toString(value));
        }
    }
}
