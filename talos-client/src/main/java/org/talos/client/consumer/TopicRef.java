// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.talos.client.transport.PartitionRef;

/**
 * A topic that a member reads. Immutable.
 *
 * @param resourceName names this incarnation of it
 * @param partitions number of its partitions
 */
record TopicRef(String name, String resourceName, int partitions) {
    PartitionRef partition(int number) {
        return new PartitionRef(name, resourceName, number);
    }

    Stream<PartitionRef> all() {
        return IntStream.range(0, partitions).mapToObj(this::partition);
    }
}
