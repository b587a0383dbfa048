// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.talos.client.transport.PartitionRef;

/**
 * A topic that is read. Immutable.
 *
 * @param resourceName names this incarnation of it
 * @param partitions number of its partitions
 */
public record TopicRef(String name, String resourceName, int partitions) {
    /** One of its partitions. */
    public PartitionRef partition(int number) {
        return new PartitionRef(name, resourceName, number);
    }

    /** Returns all of its partitions. */
    public Stream<PartitionRef> all() {
        return IntStream.range(0, partitions).mapToObj(this::partition);
    }
}
