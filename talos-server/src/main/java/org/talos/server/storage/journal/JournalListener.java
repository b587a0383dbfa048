// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

/** Hears of each batch that the journal has made durable. Thread-safe. */
@FunctionalInterface
public interface JournalListener {
    /** So many bytes were written in so long, and synced in so long. */
    void batchSynced(long bytes, long writeNanos, long syncNanos);
}
