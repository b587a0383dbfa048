// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.name.Partitioner;
import org.talos.common.name.Placement;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.GetTopicAttributeResponse;
import org.talos.thrift.TopicAttribute;

/**
 * A producer's topic as lookups have found it: the number of its partitions, and the partition of each key.
 *
 * <p>Thread-safe.
 */
final class KnownTopic {
    private static final Logger LOG = LoggerFactory.getLogger(KnownTopic.class);

    private final ClientCalls calls;
    private final String name;
    private final ProducerConfig config;
    private final Outcomes outcomes;
    private final String resourceName;
    private final AtomicLong checkedAtNanos;
    private volatile Placement placement;

    /**
     * Looks up a topic.
     *
     * @param outcomes notified of answers
     * @throws TalosClientException that cannot be done
     */
    KnownTopic(ClientCalls calls, ProducerConfig config, Outcomes outcomes) throws TalosClientException {
        this.calls = calls;
        name = outcomes.topic();
        this.config = config;
        this.outcomes = outcomes;
        GetTopicAttributeResponse info = calls.result(describe(name));
        outcomes.answered();
        resourceName = info.getTopicTalosResourceName().getTopicTalosResourceName();
        placement = placement(info.getTopicAttribute());
        checkedAtNanos = new AtomicLong(calls.nanos());
    }

    private static RemoteCall<GetTopicAttributeResponse> describe(String name) {
        return RemoteCall.of(
                Service.TOPIC,
                "getTopicAttribute",
                new GetTopicAttributeRequest(name),
                GetTopicAttributeResponse::new,
                Effect.NONE);
    }

    private static Placement placement(TopicAttribute attribute) {
        return Placement.of(
                attribute.isSetAttributes() ? attribute.getAttributes() : Map.of(), attribute.getPartitionNumber());
    }

    /** Names the incarnation of the topic. */
    String resourceName() {
        return resourceName;
    }

    /** Returns the number of its partitions at the last look-up. */
    int partitions() {
        return placement.partitions();
    }

    PartitionRef partition(int number) {
        return new PartitionRef(name, resourceName, number);
    }

    /**
     * Returns the partition that a key belongs to.
     *
     * @throws FatalException the topic's partitioner is unknown here
     */
    int partitionOf(String key) throws FatalException {
        try {
            return placement.partition(key);
        } catch (IllegalArgumentException e) {
            throw new FatalException(
                    "UNKNOWN_PARTITIONER", "UNKNOWN_PARTITIONER: the key cannot be placed: " + e.getMessage(), e);
        }
    }

    /** Returns the partition of a put of this identity whose messages have none: the same again, and evenly spread. */
    int partitionOf(PutKey identity) {
        return Partitioner.MURMUR2.partition(identity.value(), partitions());
    }

    /** Returns why nothing can be put to a partition that the topic does not have. */
    FatalException noPartition(int partition) {
        return new FatalException(
                "PARTITION_NOT_EXIST", "partition: " + partition + " (expected: 0.." + (partitions() - 1) + ")", null);
    }

    /**
     * Looks up the topic in the background once an interval: it may have got more partitions, or have been replaced.
     */
    void check() {
        long now = calls.nanos();
        long before = checkedAtNanos.get();
        if (now - before < config.partitionCheckInterval().toNanos() || !checkedAtNanos.compareAndSet(before, now)) {
            return;
        }
        var unused = lookUp(config.deliveryTimeout());
    }

    private CompletableFuture<?> lookUp(Duration within) {
        return calls.send(describe(name), within).whenComplete((info, thrown) -> {
            if (info == null || thrown != null) {
                LOG.warn("topic cannot be looked up topic={}", name, thrown);
                return;
            }
            outcomes.answered();
            if (info.getTopicTalosResourceName().getTopicTalosResourceName().equals(resourceName)) {
                lookedUp(placement(info.getTopicAttribute()));
            } else {
                LOG.error("topic deleted and created again, puts of this producer fail topic={}", name);
            }
        });
    }

    /** Accepts the result of a lookup, unless a later one has found more partitions: their number never decreases. */
    private synchronized void lookedUp(Placement found) {
        if (found.partitions() >= placement.partitions()) {
            placement = found;
        }
    }

    /** Looks for a partition that it did not have: why nothing can be put there, or nothing if it has it now. */
    CompletableFuture<Optional<TalosClientException>> look(int partition, Duration within) {
        return lookUp(within).handle((info, thrown) -> missing(partition, thrown));
    }

    private Optional<TalosClientException> missing(int partition, @Nullable Throwable thrown) {
        if (thrown == null) {
            return partition < partitions() ? Optional.empty() : Optional.of(noPartition(partition));
        }
        TalosClientException failure = ClientCalls.failure(thrown);
        return Optional.of(
                failure instanceof FatalException
                        ? failure
                        : new RetriableException( // of the put it is known that it did not happen
                                failure.code(), "the topic cannot be looked up: " + failure.getMessage(), failure));
    }
}
