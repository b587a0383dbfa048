// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

/** Content of the leader's node: the server that creates it leads until its session ends. Immutable. */
record LeaderNode(String server) {}
