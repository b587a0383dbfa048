// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.List;
import java.util.Optional;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.SimpleConsumer;

/** Readers of the partitions of a topic, also while a server restarts. Thread-safe. */
final class Cursors {
    private final TalosClient client;
    private final TalosClient once;
    private final TopicDescription topic;
    private final PartitionCursor.Unreadable unreadable;

    /** Cursors of a client that repeats its calls. */
    Cursors(TalosClient client, TopicDescription topic, PartitionCursor.Unreadable unreadable) {
        this.client = client;
        this.once = client.once();
        this.topic = topic;
        this.unreadable = unreadable;
    }

    /** Returns a cursor from an offset up to another, which it does not read. */
    PartitionCursor of(int partition, long first, long until) {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
        SimpleConsumer noRetries = new SimpleConsumer(once, topic, partition);
        return new PartitionCursor(consumer, noRetries, partition, first, until, unreadable);
    }

    /** Returns the partition that is named, or all if none is. */
    static List<PartitionOffsets> chosen(
            TopicDescription topic, List<PartitionOffsets> all, Optional<Integer> partition) throws CommandException {
        List<PartitionOffsets> chosen = all.stream()
                .filter(each -> partition.orElse(each.partition()) == each.partition())
                .toList();
        if (chosen.isEmpty()) {
            throw CommandException.notThere(
                    "partition " + partition.orElse(0) + ": " + topic.name() + " has 0 to " + (topic.partitions() - 1));
        }
        return chosen;
    }
}
