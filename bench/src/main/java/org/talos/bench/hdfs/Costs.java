// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.ServerMetrics.Interval;
import org.talos.bench.load.Window;

/**
 * The processor time used during the measured time: of the client, of the server if there is one, and of the daemons.
 *
 * <p>Confined: the thread that measures.
 */
final class Costs implements Window {
    static final String SHARE = "HDFS share";

    private static final double MILLIS = 1e3;
    private static final double PER_THOUSAND = 1e3;

    private final Cluster cluster;
    private double clientSeconds;
    private double daemonSeconds;

    private Costs(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Costs of a client that needs no server. */
    static Costs ofRaw(Cluster cluster) {
        return new Costs(cluster);
    }

    /** The costs, with metrics of the server. */
    static OfServer of(Cluster cluster, MeasuredServer server) {
        return new OfServer(new Costs(cluster), new Observed(server));
    }

    @Override
    public void opened() {
        clientSeconds = -Cluster.seconds(ProcessHandle.current());
        daemonSeconds = -cluster.daemonSeconds();
    }

    @Override
    public void closed() {
        clientSeconds += Cluster.seconds(ProcessHandle.current());
        daemonSeconds += cluster.daemonSeconds();
    }

    SortedMap<String, Double> figures(LoadResult load) {
        return new TreeMap<>(Map.of(
                "client CPU s per 1000", perThousand(clientSeconds, load),
                "daemons CPU s per 1000", perThousand(daemonSeconds, load)));
    }

    private static double perThousand(double seconds, LoadResult load) {
        return seconds * PER_THOUSAND / Math.max(1, load.latency().getTotalCount());
    }

    /** With a server. Confined: the loop's thread, and after the run the thread that started it. */
    static final class OfServer implements Window {
        private final Costs costs;
        private final Observed observed;

        private OfServer(Costs costs, Observed observed) {
            this.costs = costs;
            this.observed = observed;
        }

        @Override
        public void opened() {
            costs.opened();
            observed.opened();
        }

        @Override
        public void closed() {
            observed.closed();
            costs.closed();
        }

        SortedMap<String, Double> figures(LoadResult load) {
            Interval hdfs = observed.during("talos_log_flush_seconds", "");
            Interval put = observed.during("talos_operation_seconds", "operation=\"put\"");
            Interval batch = observed.during("talos_dispatch_batch_tasks", "pool=\"put\"");
            SortedMap<String, Double> figures = costs.figures(load);
            figures.put("server CPU s per 1000", perThousand(observed.cpuSeconds(), load));
            figures.put("HDFS ms mean", hdfs.mean() * MILLIS);
            figures.put("put in server ms mean", put.mean() * MILLIS);
            figures.put(SHARE, hdfs.mean() / put.mean());
            figures.put("puts a batch", batch.mean());
            figures.put(
                    "queue wait ms mean",
                    observed.during("talos_dispatch_queue_wait_seconds", "pool=\"put\"")
                                    .mean()
                            * MILLIS);
            figures.put(
                    "on a worker ms mean",
                    observed.during("talos_dispatch_run_seconds", "pool=\"put\"")
                                    .mean()
                            * MILLIS);
            double flushes = observed.during("talos_journal_sync_seconds", "").count();
            if (flushes > 0) {
                figures.put("puts a journal flush", put.count() / flushes);
            }
            return figures;
        }
    }
}
