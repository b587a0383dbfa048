// SPDX-License-Identifier: Apache-2.0
/**
 * The decisions of a cluster's leader, without threads, own clocks, or ZooKeeper: the owner of each partition
 * ({@link org.talos.server.cluster.assignment.Assignment}), the number of moves at once
 * ({@link org.talos.server.cluster.assignment.Handovers}), the existing topics
 * ({@link org.talos.server.cluster.assignment.ExistingTopics}), and the servers that are away, drained, or new.
 * Confined to the leader's rounds.
 */
@NullMarked
package org.talos.server.cluster.assignment;

import org.jspecify.annotations.NullMarked;
