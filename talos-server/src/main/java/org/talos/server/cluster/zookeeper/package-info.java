// SPDX-License-Identifier: Apache-2.0
/**
 * The coordination of several servers through ZooKeeper. Entry type:
 * {@link org.talos.server.cluster.zookeeper.ZooKeeperCoordinator}. Formats: docs/formats/cluster.md.
 */
@NullMarked
package org.talos.server.cluster.zookeeper;

import org.jspecify.annotations.NullMarked;
