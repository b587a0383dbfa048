// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Observable;
import org.talos.bench.load.Observed;
import org.talos.bench.load.ServerMetrics.Interval;

/** The processor time of a put: of the client, of the server if there is one, and of the daemons. Immutable. */
final class Costs {
    static final String SHARE = "HDFS share";
    private static final String DAEMONS = "daemons";
    private static final double MILLIS = 1e3;
    private static final double PER_THOUSAND = 1e3;

    private Costs() {}

    /** Returns what samples a client that needs no server. */
    static Observed ofRaw(Cluster cluster) {
        return observed(cluster, Observable.of(() -> Double.NaN));
    }

    /** Returns what samples a server, and its clients. */
    static Observed observed(Cluster cluster, Observable server) {
        return new Observed(server).also(DAEMONS, cluster::daemonSeconds);
    }

    /** Returns the figures of a client that needs no server. */
    static SortedMap<String, Double> figures(Observed observed, LoadResult load) {
        return new TreeMap<>(Map.of(
                "client CPU s per 1000", perThousand(observed.clientSeconds(), load),
                "daemons CPU s per 1000", perThousand(observed.grown(DAEMONS), load)));
    }

    private static double perThousand(double seconds, LoadResult load) {
        return seconds * PER_THOUSAND / Math.max(1, load.latency().getTotalCount());
    }

    /** Returns the figures of puts to a server. */
    static SortedMap<String, Double> figuresOfServer(Observed observed, LoadResult load) {
        Interval hdfs = observed.during("talos_log_flush_seconds", "");
        Interval put = observed.during("talos_operation_seconds", "operation=\"put\"");
        SortedMap<String, Double> figures = figures(observed, load);
        figures.put("server CPU s per 1000", perThousand(observed.cpuSeconds(), load));
        figures.put("HDFS ms mean", hdfs.mean() * MILLIS);
        figures.put("put in server ms mean", put.mean() * MILLIS);
        figures.put(SHARE, hdfs.mean() / put.mean());
        figures.put("puts a batch", ofPuts(observed, "batch_tasks"));
        figures.put("queue wait ms mean", ofPuts(observed, "queue_wait_seconds") * MILLIS);
        figures.put("on a worker ms mean", ofPuts(observed, "run_seconds") * MILLIS);
        double flushes = observed.during("talos_journal_sync_seconds", "").count();
        if (flushes > 0) {
            figures.put("puts a journal flush", put.count() / flushes);
        }
        return figures;
    }

    private static double ofPuts(Observed observed, String histogram) {
        return observed.during("talos_dispatch_" + histogram, "pool=\"put\"").mean();
    }
}
