// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.server.config.ServerConfig;
import org.talos.server.dispatch.WorkerSelection;
import org.talos.server.partition.PartitionManager;

/**
 * The parts that the services are built on. Immutable.
 *
 * @param partitions those of this server
 * @param selection of the workers of every pool
 * @param groupBytes heap for the rows of groups that were read lately, about
 */
public record ServiceFoundation(
        ServerConfig config,
        PartitionManager partitions,
        Repositories repositories,
        ClusterAccess cluster,
        Environment environment,
        WorkerSelection selection,
        long groupBytes) {}
