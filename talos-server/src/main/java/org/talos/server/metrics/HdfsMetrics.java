// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;

/** The metrics of the store in HDFS beside {@link LogMetrics}. Thread-safe. */
public final class HdfsMetrics {
    private final Counter sessions;
    private final Histogram fence;
    private final Histogram replay;
    private final Counter replayedBytes;
    private final Histogram lease;
    private final Histogram read;
    private final Counter readBytes;

    /** Registers the metrics. */
    public HdfsMetrics(Metrics metrics) {
        sessions = metrics.counter(
                "talos_hdfs_sessions_total",
                "",
                "Sets of journals begun: one at the start, one after each that is lost.");
        fence = metrics.histogram(
                "talos_hdfs_session_fence_seconds", "", Unit.SECONDS, "Fencing another server's journals.");
        replay = metrics.histogram(
                "talos_hdfs_session_replay_seconds", "", Unit.SECONDS, "Replaying them into the partitions' segments.");
        replayedBytes = metrics.counter(
                "talos_hdfs_session_replayed_bytes_total", "", "Bytes replayed from other servers' journals.");
        lease = metrics.histogram(
                "talos_hdfs_lease_recovery_seconds",
                "",
                Unit.SECONDS,
                "Recovering the lease of a file whose writer is gone.");
        read = metrics.histogram("talos_hdfs_read_seconds", "", Unit.SECONDS, "A read of a segment's files.");
        readBytes = metrics.counter("talos_hdfs_read_bytes_total", "", "Bytes read of segments' files.");
    }

    /** Counts a new set of journals. */
    public void sessionBegun() {
        sessions.inc();
    }

    /** Records the replay of another server's journals. */
    public void sessionReplayed(long bytes, long fenceNanos, long replayNanos) {
        fence.update(fenceNanos);
        replay.update(replayNanos);
        replayedBytes.inc(bytes);
    }

    /** Records a recovered lease. */
    public void leaseRecovered(long nanos) {
        lease.update(nanos);
    }

    /** Records a read of segments' files. */
    public void bytesRead(long bytes, long nanos) {
        read.update(nanos);
        readBytes.inc(bytes);
    }
}
