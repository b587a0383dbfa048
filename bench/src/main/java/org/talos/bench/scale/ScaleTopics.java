// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.util.ArrayList;
import java.util.List;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.SignedPuts;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;

/** Partitions of one server, in topics of 250 at most, and puts into them. Confined: the main thread. */
final class ScaleTopics {
    private static final int OF_A_TOPIC = 250;
    private static final long SEEDS_OF_A_LAYER = 1_000_000;

    private final MeasuredServer server;
    private final String name;
    private final List<TopicDescription> topics = new ArrayList<>();
    private int partitions;

    /** @param name begins the topics' names */
    ScaleTopics(MeasuredServer server, String name) {
        this.server = server;
        this.name = name;
    }

    /** Makes topics until there are this number of partitions. */
    void grow(int wanted) throws TalosClientException, CommandException {
        while (partitions < wanted) {
            int more = Math.min(OF_A_TOPIC, wanted - partitions);
            topics.add(server.topic(name + "-" + topics.size(), more));
            partitions += more;
        }
    }

    List<TopicDescription> topics() {
        return List.copyOf(topics);
    }

    /**
     * Producers with one put in flight each. If there are fewer than partitions, each puts into its share of them in
     * turn; if more, several put into the same one.
     *
     * @param size bytes of a message, which cannot be compressed
     */
    List<InTurn> producers(int count, int size) throws CommandException {
        List<InTurn> producers = new ArrayList<>();
        for (int layer = 0; producers.size() < count; layer++) {
            List<SignedPuts> puts = puts(layer, size);
            int here = Math.min(puts.size(), count - producers.size());
            int connections = layer == 0 ? here : puts.size(); // all partitions have a producer from the first layer
            producers.addAll(InTurn.spread(puts, connections).subList(0, here));
        }
        return producers;
    }

    /** Puts into all partitions, one source each; those of another layer have other identities. */
    private List<SignedPuts> puts(int layer, int size) throws CommandException {
        List<SignedPuts> puts = new ArrayList<>();
        for (TopicDescription topic : topics) {
            long seed = layer * SEEDS_OF_A_LAYER + puts.size();
            puts.addAll(server.puts(topic, size, seed));
        }
        return puts;
    }
}
