// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.consumer.group.TopicRef;
import org.talos.client.transport.PartitionRef;

/**
 * Renews the registration of a member and the locks of its readers' partitions, and knows for how long the locks are
 * valid at least.
 *
 * <p>Confined: {@link #renew} belongs to one thread at a time. All else is thread-safe.
 */
final class Heartbeats {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);

    private final ClientCalls calls;
    private final GroupCalls group;
    private final ConsumerConfig config;
    private final Readers readers;
    private volatile long renewedAtNanos;

    Heartbeats(ClientCalls calls, GroupCalls group, ConsumerConfig config, Readers readers) {
        this.calls = calls;
        this.group = group;
        this.config = config;
        this.readers = readers;
    }

    /** Notes that the member registers: locks that it takes later count as renewed now. */
    void begin() {
        renewedAtNanos = calls.nanos();
    }

    /**
     * Returns whether the locks are certain to be valid: their time counts from the moment before the last renewal was
     * sent.
     */
    boolean isHeld() {
        return !group.isMember()
                || calls.nanos() - renewedAtNanos < config.lockTtl().toNanos();
    }

    /** Sends a heartbeat, and ends the readers of partitions that are lost. */
    void renew(Collection<TopicRef> topics) {
        long start = calls.nanos();
        if (!isHeld()) {
            readers.allLost();
        }
        Set<PartitionRef> locked = new HashSet<>();
        try {
            GroupCalls.Renewal renewal = group.renew(
                    topics,
                    () -> {
                        locked.addAll(readers.locked());
                        return locked;
                    },
                    config.renewInterval());
            if (renewal.alive()) {
                renewedAtNanos = start;
                renewal.lost().forEach(readers::lost);
            } else {
                locked.forEach(readers::lost);
            }
        } catch (TalosClientException e) {
            LOG.warn("member cannot renew topics={} code={}", topics, e.code(), e);
        }
    }
}
