// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/** How much a partition is used. Immutable. */
public record PartitionTraffic(String topicId, int partition, long bytesPerSecond) {}
