// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.function.DoubleSupplier;
import org.talos.server.config.ServerConfig;
import org.talos.server.dispatch.WorkerSelection;
import org.talos.server.partition.PartitionManager;

/**
 * The parts on which the services are built. Immutable.
 *
 * @param partitions those of this server
 */
public record ServiceFoundation(
        ServerConfig config,
        PartitionManager partitions,
        Repositories repositories,
        ClusterAccess cluster,
        Environment environment,
        Policies policies,
        GroupHeap groupHeap) {
    /**
     * How the pools choose a worker, and when reads wait for puts. Immutable.
     *
     * @param selection of the workers of every pool
     * @param processorLoad share of the processors in use since the last call, from 0 to 1; negative if unknown
     */
    public record Policies(WorkerSelection selection, DoubleSupplier processorLoad) {}

    /**
     * The approximate heap for groups. Immutable.
     *
     * @param rowBytes for rows that were read lately
     * @param listBytes for the list of the groups of all topics
     */
    public record GroupHeap(long rowBytes, long listBytes) {}
}
