// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.util.Map;

/**
 * What {@code auto} is for the settings that are decided once, at the start. Those of a pool's workers are not among
 * them: what is right for them changes while the server runs.
 *
 * <ul>
 *   <li>{@code http.workers}: Jetty's threads wait for nothing, so their number follows from the processors alone: four
 *       for each, one of them selecting, so that there is one to go on where another one parses or decrypts.
 *   <li>{@code maxBatch} of puts: a batch is what has gathered while the one before ran, so it is as large as the load
 *       makes it. The bound is for what others of the worker wait behind it, and for the size of one write: neither
 *       depends on the machine, and it is met only where a store is held up.
 *   <li>{@code maxBatch} of all else: 1, since tasks of reads and of control gain nothing by running together.
 * </ul>
 *
 * <p>Immutable.
 *
 * @param processors that the process may use, as the JVM has it from the container
 */
record AutoValues(int processors) {
    private static final String AUTO = "auto";
    private static final int LEAST_HTTP_WORKERS = 8;
    private static final int HTTP_WORKERS_FOR_EACH = 4;
    private static final int PUTS_OF_A_BATCH = 256;

    /** Those of this JVM. */
    static AutoValues ofThisJvm() {
        return new AutoValues(Runtime.getRuntime().availableProcessors());
    }

    /** Puts them where {@code auto} is. */
    void into(Map<String, String> texts) {
        set(texts, "http.workers", Math.max(LEAST_HTTP_WORKERS, HTTP_WORKERS_FOR_EACH * processors));
        set(texts, "dispatch.put.maxBatch", PUTS_OF_A_BATCH);
        set(texts, "dispatch.get.maxBatch", 1);
        set(texts, "dispatch.control.maxBatch", 1);
    }

    private static void set(Map<String, String> texts, String key, long value) {
        if (AUTO.equals(texts.get(key))) {
            texts.put(key, Long.toString(value));
        }
    }
}
