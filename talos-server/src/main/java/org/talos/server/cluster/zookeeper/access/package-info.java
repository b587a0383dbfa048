// SPDX-License-Identifier: Apache-2.0
/**
 * How a client makes itself known to ZooKeeper, and who may use its nodes. Entry types:
 * {@link org.talos.server.cluster.zookeeper.access.ClientLogin},
 * {@link org.talos.server.cluster.zookeeper.access.AccessLists}.
 */
@NullMarked
package org.talos.server.cluster.zookeeper.access;

import org.jspecify.annotations.NullMarked;
