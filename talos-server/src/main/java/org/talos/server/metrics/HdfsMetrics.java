// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;

/** What the store in HDFS measures beside {@link LogMetrics}. Thread-safe. */
public final class HdfsMetrics {
    private final Counter sessions;
    private final Histogram fence;
    private final Histogram replay;
    private final Counter replayedBytes;
    private final Histogram lease;
    private final Histogram read;
    private final Counter readBytes;

    /** The store's metrics. */
    public HdfsMetrics(Metrics metrics) {
        sessions = metrics.counter(
                "talos_hdfs_sessions_total", "", "Sets of journals begun: one at the start, one for each set lost.");
        fence = metrics.histogram(
                "talos_hdfs_session_fence_seconds", "", Unit.SECONDS, "Taking another server's journals from it.");
        replay = metrics.histogram(
                "talos_hdfs_session_replay_seconds",
                "",
                Unit.SECONDS,
                "Bringing what they hold to the partitions' segments.");
        replayedBytes = metrics.counter(
                "talos_hdfs_session_replayed_bytes_total", "", "Bytes brought from other servers' journals.");
        lease = metrics.histogram(
                "talos_hdfs_lease_recovery_seconds", "", Unit.SECONDS, "Taking a file from a writer who has gone.");
        read = metrics.histogram("talos_hdfs_read_seconds", "", Unit.SECONDS, "A read of a segment's files.");
        readBytes = metrics.counter("talos_hdfs_read_bytes_total", "", "Bytes read of segments' files.");
    }

    /** The server has new journals. */
    public void sessionBegun() {
        sessions.inc();
    }

    /** Another server's journals were replayed. */
    public void sessionReplayed(long bytes, long fenceNanos, long replayNanos) {
        fence.update(fenceNanos);
        replay.update(replayNanos);
        replayedBytes.inc(bytes);
    }

    /** A file was taken from its writer. */
    public void leaseRecovered(long nanos) {
        lease.update(nanos);
    }

    /** A read of segments' files. */
    public void bytesRead(long bytes, long nanos) {
        read.update(nanos);
        readBytes.inc(bytes);
    }
}
