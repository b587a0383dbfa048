// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/**
 * A server of the cluster. Immutable.
 *
 * @param id the same after a restart
 * @param clientAddress where clients reach it, {@code host:port}
 * @param transferAddress where other servers reach it, {@code host:port}
 */
public record ClusterMember(String id, String clientAddress, String transferAddress) {}
