// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.Map;

/** The servers of the Talos 2.1.6 report, as settings of this one, and this one. */
enum Version {
    /** A task's thread by the hash of its key; a Jetty worker waits for each answer. */
    V215("2.1.5", "hash", "blocking", 100),
    /** A task's thread is its key's, or the least loaded. */
    V216("2.1.6", "affinity", "blocking", 100),
    /** The same with more Jetty workers. */
    V216_NEW("2.1.6-new", "affinity", "blocking", 300),
    /** No Jetty worker waits. */
    OURS("ours", "affinity", "async", 8);

    /** As many as a client has partitions: the choice of a thread decides, not their number. */
    private static final String POOL_WORKERS = "120";
    /** So that waiting decides, and not the processors of a small machine. */
    static final String SLOWER = "2";

    private final String label;
    private final String policy;
    private final String dispatch;
    private final int jettyWorkers;

    Version(String label, String policy, String dispatch, int jettyWorkers) {
        this.label = label;
        this.policy = policy;
        this.dispatch = dispatch;
        this.jettyWorkers = jettyWorkers;
    }

    String label() {
        return label;
    }

    /** Environment variables without {@code TALOS_}; reads go to the storage, as those of a server without a cache. */
    Map<String, String> settings() {
        return Map.of(
                "DISPATCH_POLICY",
                policy,
                "DISPATCH_PUT_WORKERS",
                POOL_WORKERS,
                "DISPATCH_GET_WORKERS",
                POOL_WORKERS,
                DelayedServer.SLOWER,
                SLOWER,
                "HTTP_DISPATCH",
                dispatch,
                "HTTP_WORKERS",
                Integer.toString(jettyWorkers),
                "LOG_DURABILITY",
                "flush",
                "LOG_TAILCACHEBYTES",
                "0");
    }
}
