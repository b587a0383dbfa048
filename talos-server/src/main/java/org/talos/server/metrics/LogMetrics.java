// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.function.LongSupplier;

/** What logs and their store measure. Thread-safe. */
public final class LogMetrics {
    private final Metrics metrics;
    private final Histogram append;
    private final Histogram flush;
    private final Histogram journalWrite;
    private final Histogram journalSync;
    private final Histogram journalBytes;
    private final Histogram recovery;
    private final Counter fromMemory;
    private final Counter fromStorage;
    private final Counter repeated;

    /** The metrics of all logs of a server together. */
    public LogMetrics(Metrics metrics) {
        this.metrics = metrics;
        append = metrics.histogram(
                "talos_log_append_seconds", "", Unit.SECONDS, "Laying a batch of puts out for the store.");
        flush = metrics.histogram(
                "talos_log_flush_seconds", "", Unit.SECONDS, "From a batch's handing over to its durability.");
        journalWrite = metrics.histogram("talos_journal_write_seconds", "", Unit.SECONDS, "Writing a batch.");
        journalSync = metrics.histogram("talos_journal_sync_seconds", "", Unit.SECONDS, "Syncing a batch.");
        journalBytes = metrics.histogram("talos_journal_batch_bytes", "", Unit.BYTES, "Bytes of a batch.");
        recovery = metrics.histogram("talos_log_recovery_seconds", "", Unit.SECONDS, "Opening a partition.");
        fromMemory = metrics.counter("talos_log_reads_from_memory_total", "", "Gets answered from memory.");
        fromStorage = metrics.counter("talos_log_reads_from_storage_total", "", "Gets answered from storage.");
        repeated = metrics.counter("talos_log_repeated_puts_total", "", "Puts recognised as repetitions.");
    }

    /** Shows what stands in journals and memory alone. */
    public void watchUnwritten(LongSupplier bytes) {
        metrics.gauge(
                "talos_log_unwritten_bytes",
                "",
                "Bytes that are acknowledged, or about to be, and not in their segments yet.",
                bytes);
    }

    /** A batch of puts was laid out and handed to the store. */
    public void appended(long nanos) {
        append.update(nanos);
    }

    /** A batch has become durable, so long after it was handed to the store. */
    public void flushed(long nanos) {
        flush.update(nanos);
    }

    /** The journal has taken a batch of all partitions. */
    public void journalled(long bytes, long writeNanos, long syncNanos) {
        journalBytes.update(bytes);
        journalWrite.update(writeNanos);
        journalSync.update(syncNanos);
    }

    /** A partition's log has been opened. */
    public void recovered(long nanos) {
        recovery.update(nanos);
    }

    /** A get was answered from memory. */
    public void readFromMemory() {
        fromMemory.inc();
    }

    /** A get was answered from storage. */
    public void readFromStorage() {
        fromStorage.inc();
    }

    /** A repeated put was recognised and not appended. */
    public void repeated() {
        repeated.inc();
    }
}
