// SPDX-License-Identifier: Apache-2.0
/**
 * The decisions of a cluster's leader, without threads, clocks of its own and ZooKeeper: who owns which partition
 * ({@link org.talos.server.cluster.assignment.Assignment}), how many change hands at once
 * ({@link org.talos.server.cluster.assignment.Handovers}), which topics there are
 * ({@link org.talos.server.cluster.assignment.ExistingTopics}), and which servers are away, drained, or new. Confined
 * to the leader's rounds.
 */
@NullMarked
package org.talos.server.cluster.assignment;

import org.jspecify.annotations.NullMarked;
