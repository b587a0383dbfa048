// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

/** The leader's node: whoever makes it leads, as long as its session lasts. Immutable. */
record LeaderNode(String server) {}
