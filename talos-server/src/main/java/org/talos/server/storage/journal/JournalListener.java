// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

/** Is notified of each batch that a journal has made durable. Thread-safe. */
@FunctionalInterface
public interface JournalListener {
    /** Called on the writing thread, in the order of the batches, once their appends are completed. */
    void batchSynced(long bytes, long writeNanos, long syncNanos);

    /** Called on the writing thread, when a batch could not be written. Must not block. */
    default void failed(Throwable cause) {}

    /**
     * Called once by each new journal: returns the files that it uses, its own or, to test failing and slow writes,
     * wrappers of them.
     */
    default JournalFiles around(JournalFiles own) {
        return own;
    }
}
