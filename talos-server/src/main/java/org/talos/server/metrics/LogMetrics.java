// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.function.LongSupplier;

/** The metrics of all logs and their store. Thread-safe. */
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

    /** Registers the metrics. */
    public LogMetrics(Metrics metrics) {
        this.metrics = metrics;
        append = metrics.histogram(
                "talos_log_append_seconds", "", Unit.SECONDS, "Encoding a batch of puts for the store.");
        flush = metrics.histogram(
                "talos_log_flush_seconds", "", Unit.SECONDS, "From a batch's append to the store to its durability.");
        journalWrite = metrics.histogram("talos_journal_write_seconds", "", Unit.SECONDS, "Writing a batch.");
        journalSync = metrics.histogram("talos_journal_sync_seconds", "", Unit.SECONDS, "Syncing a batch.");
        journalBytes = metrics.histogram("talos_journal_batch_bytes", "", Unit.BYTES, "Bytes of a batch.");
        recovery = metrics.histogram("talos_log_recovery_seconds", "", Unit.SECONDS, "Opening a partition.");
        fromMemory = metrics.counter("talos_log_reads_from_memory_total", "", "Gets answered from memory.");
        fromStorage = metrics.counter("talos_log_reads_from_storage_total", "", "Gets answered from storage.");
        repeated = metrics.counter("talos_log_repeated_puts_total", "", "Puts recognized as repetitions.");
    }

    /** Registers the gauge of the partitions in one state. */
    public void watchPartitions(String state, LongSupplier number) {
        metrics.gauge(
                "talos_partitions",
                "state=\"" + state + "\"",
                "Partitions that this server has, by what it does with them; failed ones are tried again unless damaged. Those served but for damaged messages count as failed, too.",
                number);
    }

    /** Registers the gauge of bytes that are in journals and memory only. */
    public void watchUnwritten(LongSupplier bytes) {
        metrics.gauge(
                "talos_log_unwritten_bytes",
                "",
                "Bytes that are acknowledged, or about to be, and not in their segments yet.",
                bytes);
    }

    /** Registers the gauge of room on this machine's disk. */
    public void watchDisk(LongSupplier freeBytes) {
        metrics.gauge(
                "talos_storage_disk_free_bytes",
                "",
                "Bytes that may still be written to the disk of logs and metadata; of several disks the least.",
                freeBytes);
    }

    /** Records the encoding of a batch of puts. */
    public void appended(long nanos) {
        append.update(nanos);
    }

    /** Records the time from a batch's append to the store to its durability. */
    public void flushed(long nanos) {
        flush.update(nanos);
    }

    /** Records a batch that the journal has written and synced. */
    public void journalled(long bytes, long writeNanos, long syncNanos) {
        journalBytes.update(bytes);
        journalWrite.update(writeNanos);
        journalSync.update(syncNanos);
    }

    /** Records the opening of a partition's log. */
    public void recovered(long nanos) {
        recovery.update(nanos);
    }

    /** Counts a get answered from memory. */
    public void readFromMemory() {
        fromMemory.inc();
    }

    /** Counts a get answered from storage. */
    public void readFromStorage() {
        fromStorage.inc();
    }

    /** Counts a put that was recognized as a repetition. */
    public void repeated() {
        repeated.inc();
    }
}
