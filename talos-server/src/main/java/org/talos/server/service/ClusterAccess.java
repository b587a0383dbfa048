// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.partition.serving.PartitionRequests;

/**
 * The way to the other servers. Immutable.
 *
 * @param coordinator view of the owners of partitions
 * @param others requests to another server
 * @param admin operators' requests to the cluster; empty if this server is the only one
 * @param serverId of this server; empty if it is the only one, or has not joined the others yet
 */
public record ClusterAccess(
        Coordinator coordinator,
        Function<ClusterMember, PartitionRequests> others,
        Supplier<Optional<ClusterAdmin>> admin,
        Supplier<Optional<String>> serverId) {}
