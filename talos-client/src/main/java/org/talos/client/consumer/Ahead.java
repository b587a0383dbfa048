// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.talos.client.ClientCalls;
import org.talos.client.stream.StreamReads;
import org.talos.client.transport.PartitionRef;

/**
 * The means by which one member reads ahead: the memory that its readers share, and the streams of its topics.
 *
 * <p>Thread-safe.
 */
final class Ahead {
    private final ClientCalls calls;
    private final ConsumerConfig config;
    private final Semaphore memory;
    private final Map<String, StreamReads> topics = new ConcurrentHashMap<>(); // by resource names

    Ahead(ClientCalls calls, ConsumerConfig config) {
        this.calls = calls;
        this.config = config;
        memory = new Semaphore(config.maxAheadBytes());
    }

    /**
     * Returns the messages of a partition, for its reader.
     *
     * @param onArrival runs when messages may have arrived, on a thread of the client
     */
    Arrivals arrivals(PartitionRef partition, Runnable onArrival) {
        Optional<StreamReads.Reader> stream = calls.streams()
                .map(streams -> topics.computeIfAbsent(
                                partition.resourceName(), name -> new StreamReads(streams, name, memory))
                        .reader(partition, onArrival));
        return new Arrivals(partition, config, new Fetches(calls, partition, config, memory, onArrival), stream);
    }

    /** Closes the streams. */
    void close() {
        topics.values().forEach(StreamReads::close);
    }
}
