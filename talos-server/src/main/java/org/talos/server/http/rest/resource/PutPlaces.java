// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.talos.common.name.Partitioner;
import org.talos.common.name.Placement;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;

/**
 * The partitions of the messages of one put. Messages with a key go where the topic's partitioner puts them. All others
 * go to one partition: the next in turn, or for a repeated put the same as the first time. Confined: one request.
 */
final class PutPlaces {
    private final Placement placement;
    private final Optional<IdempotencyKey> identity;
    private final AtomicInteger turns;
    private int keyless = -1;

    /** @param turns of all puts without keys; a put takes one when it needs it */
    PutPlaces(Placement placement, Optional<IdempotencyKey> identity, AtomicInteger turns) {
        this.placement = placement;
        this.identity = identity;
        this.turns = turns;
    }

    int of(Message message) {
        if (message.isSetPartitionKey()) {
            return ofKey(message.getPartitionKey());
        }
        if (keyless < 0) {
            keyless = identity.isPresent()
                    ? ofIdentity(identity.get().value())
                    : Math.floorMod(turns.getAndIncrement(), placement.partitions());
        }
        return keyless;
    }

    private int ofKey(String key) {
        try {
            return placement.partition(key);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("the key cannot be placed, name the partition: " + e.getMessage());
        }
    }

    /** The public SDKs' way would put identities of one form into one partition, and no SDK computes this one. */
    private int ofIdentity(String value) {
        return placement.partitioner().equals(Partitioner.SDK.toString())
                ? Math.floorMod(value.hashCode(), placement.partitions())
                : ofKey(value);
    }
}
