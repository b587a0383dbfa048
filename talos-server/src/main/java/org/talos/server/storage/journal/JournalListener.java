// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

/** Is called for each batch that a journal has made durable. Thread-safe. */
@FunctionalInterface
public interface JournalListener {
    /** Called on the thread that wrote, in the order of the batches, once their appends are completed. */
    void batchSynced(long bytes, long writeNanos, long syncNanos);

    /** Called on the thread that wrote, when a batch could not be written. Must not block. */
    default void failed(Throwable cause) {}

    /**
     * Called once by each journal that is made: returns the files that it uses, its own or, to test failing and slow
     * writes, some around them.
     */
    default JournalFiles around(JournalFiles own) {
        return own;
    }
}
