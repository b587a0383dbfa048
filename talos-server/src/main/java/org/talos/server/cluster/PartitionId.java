// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/** A partition of a topic. Immutable. */
public record PartitionId(String topicId, int partition) {
    @Override
    public String toString() {
        return topicId + "/" + partition;
    }
}
