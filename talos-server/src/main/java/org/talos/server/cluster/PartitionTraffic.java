// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/** A partition's traffic. Immutable. */
public record PartitionTraffic(String topicId, int partition, long bytesPerSecond) {}
