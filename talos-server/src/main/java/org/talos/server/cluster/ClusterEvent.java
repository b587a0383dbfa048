// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/**
 * Something that happened to the cluster. Immutable.
 *
 * @param atMillis by the clock of the leader at that time
 */
public record ClusterEvent(long atMillis, String text) {}
