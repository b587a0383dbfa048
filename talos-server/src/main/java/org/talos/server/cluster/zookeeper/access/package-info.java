// SPDX-License-Identifier: Apache-2.0
/**
 * A client's authentication with ZooKeeper, and the permissions on its nodes. Entry types:
 * {@link org.talos.server.cluster.zookeeper.access.ClientLogin},
 * {@link org.talos.server.cluster.zookeeper.access.AccessLists}.
 */
@NullMarked
package org.talos.server.cluster.zookeeper.access;

import org.jspecify.annotations.NullMarked;
