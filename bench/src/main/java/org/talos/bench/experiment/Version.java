// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.HashMap;
import java.util.Map;
import org.talos.bench.variant.SelectionPolicy;
import org.talos.bench.variant.TransferPools;
import org.talos.bench.variant.Variants;

/** The server versions of the Talos 2.1.6 report, as variants of this server, and this server itself. */
enum Version {
    /** A task's thread by the hash of its key; a Jetty worker waits for each answer. */
    V215("2.1.5", SelectionPolicy.HASH, Variants.BLOCKING, 100),
    /** A task's thread is its key's, or the least loaded. */
    V216("2.1.6", SelectionPolicy.AFFINITY, Variants.BLOCKING, 100),
    /** As the version before, with more Jetty workers. */
    V216_NEW("2.1.6-new", SelectionPolicy.AFFINITY, Variants.BLOCKING, 300),
    /** Asynchronous: no Jetty worker waits. */
    OURS("ours", SelectionPolicy.AFFINITY, "async", 8);

    /** As many threads as a client has partitions, so that the choice of a thread decides and not their number. */
    private static final int POOL_WORKERS = 120;
    /** So that waiting decides, and not the processors of a small machine. */
    static final String SLOWER = "2";

    private final String label;
    private final SelectionPolicy policy;
    private final String calls;
    private final int jettyWorkers;

    Version(String label, SelectionPolicy policy, String calls, int jettyWorkers) {
        this.label = label;
        this.policy = policy;
        this.calls = calls;
        this.jettyWorkers = jettyWorkers;
    }

    String label() {
        return label;
    }

    /**
     * The settings for servers of a cluster, which have as many workers as one alone, in all. The reported versions
     * keep a file for each partition, and an append holds its worker for the flush. So does ours where the store is
     * held, as its journals would not be; else it is as it is shipped.
     */
    Map<String, String> onCluster(int servers, Storage store) {
        Map<String, String> settings = new HashMap<>(settings());
        if (store == Storage.CLUSTER) {
            settings.remove(DelayedServer.SLOWER);
        }
        if (this == OURS && store == Storage.CLUSTER) {
            settings.remove("DISPATCH_PUT_WORKERS");
            settings.remove("DISPATCH_GET_WORKERS");
            return settings;
        }
        String workers = Integer.toString(POOL_WORKERS / servers);
        settings.put("DISPATCH_PUT_WORKERS", workers);
        settings.put("DISPATCH_GET_WORKERS", workers);
        settings.put(Variants.HDFS_FORM, Variants.PIPELINE);
        TransferPools pools = this == V215 ? TransferPools.SHARED : TransferPools.PER_HOST;
        settings.put(Variants.TRANSFER_POOLS, pools.toString());
        return settings;
    }

    /**
     * Environment variables without {@code TALOS_}. Reads go to the storage, as those of a server without a cache. The
     * reported versions do not slow them for puts, since a delayed read would hold a thread of Jetty.
     */
    Map<String, String> settings() {
        return Map.of(
                Variants.SELECTION,
                policy.toString(),
                "DISPATCH_PUT_WORKERS",
                Integer.toString(POOL_WORKERS),
                "DISPATCH_GET_WORKERS",
                Integer.toString(POOL_WORKERS),
                DelayedServer.SLOWER,
                SLOWER,
                Variants.CALLS,
                calls,
                Variants.READS,
                this == OURS ? "paced" : Variants.UNPACED,
                "HTTP_WORKERS",
                Integer.toString(jettyWorkers),
                "LOG_DURABILITY",
                "flush",
                "LOG_TAILCACHEBYTES",
                "0");
    }
}
