// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.concurrent.ScheduledExecutorService;
import org.talos.server.metrics.TopicMetrics;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.history.ServerHistory;
import org.talos.server.service.history.StoredFigures;
import org.talos.server.service.history.WatchedHistories;

/** The measurements of a server, and of topics and groups that users watch. Immutable. */
record ServerFigures(StoredFigures stored, ServerHistory server, WatchedHistories watched) {
    /** Returns figures, which are not measured before {@link #start}. */
    static ServerFigures of(ServiceFoundation base, TrafficMetrics traffic, PartitionRoutes routes) {
        Environment environment = base.environment();
        Repositories rows = base.repositories();
        StoredFigures stored = new StoredFigures(
                base.partitions(),
                rows.directory(),
                rows.offsets(),
                traffic,
                new TopicMetrics(environment.metrics()),
                base.config().metrics(),
                environment.ticker());
        return new ServerFigures(
                stored,
                new ServerHistory(traffic, environment.requests(), stored, environment.ticker(), environment.clock()),
                new WatchedHistories(
                        rows.directory(), rows.offsets(), routes, environment.ticker(), environment.clock()));
    }

    /**
     * Begins to measure.
     *
     * @param health runs work that never waits
     * @param refresh runs work that waits for rows and other servers
     */
    void start(ScheduledExecutorService health, ScheduledExecutorService refresh) {
        server.start(health);
        stored.start(refresh);
        watched.start(refresh);
    }
}
