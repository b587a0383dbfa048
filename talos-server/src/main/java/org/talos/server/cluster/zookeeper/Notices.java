// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.OwnershipChange;

/**
 * Tells what this server gets and loses. For one partition the notices alternate, however many changes of the cluster
 * came as one.
 *
 * <p>Confined: the cluster's thread.
 */
final class Notices {
    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);
    private static final TopicOwners NONE = new TopicOwners(0, List.of());

    private final String self;
    private final Predicate<String> alive;
    private final List<Consumer<OwnershipChange>> listeners = new ArrayList<>();
    private final Map<String, TopicOwners> told = new HashMap<>();

    /** @param alive whether a server lives, and so is about to give up what it has lost */
    Notices(String self, Predicate<String> alive) {
        this.self = self;
        this.alive = alive;
    }

    /** Tells it first what is owned already. */
    void add(Consumer<OwnershipChange> listener) {
        listeners.add(listener);
        told.forEach((topicId, owners) -> {
            for (int partition = 0; partition < owners.owners().size(); partition++) {
                if (isOwn(owners, partition)) {
                    tell(listener, new OwnershipChange(topicId, partition, true, false));
                }
            }
        });
    }

    /** The topic's owners are these now; null: it is gone. */
    void topicIs(String topicId, @Nullable TopicOwners now) {
        TopicOwners before = told.getOrDefault(topicId, NONE);
        TopicOwners after = now == null ? NONE : now;
        if (now == null) {
            told.remove(topicId);
        } else {
            told.put(topicId, now);
        }
        int partitions = Math.max(before.owners().size(), after.owners().size());
        for (int partition = 0; partition < partitions; partition++) {
            boolean own = isOwn(after, partition);
            if (own != isOwn(before, partition)) {
                String giver = before.owner(partition);
                boolean handedOver = own && !giver.isEmpty() && alive.test(giver);
                OwnershipChange change = new OwnershipChange(topicId, partition, own, handedOver);
                listeners.forEach(listener -> tell(listener, change));
            }
        }
    }

    /** Partitions that this server owns, as it was told. */
    long owned() {
        return told.values().stream()
                .flatMap(owners -> owners.owners().stream())
                .filter(self::equals)
                .count();
    }

    private boolean isOwn(TopicOwners owners, int partition) {
        return owners.owner(partition).equals(self);
    }

    private static void tell(Consumer<OwnershipChange> listener, OwnershipChange change) {
        try {
            listener.accept(change);
        } catch (RuntimeException e) {
            LOG.error("change of ownership not taken in change={}", change, e);
        }
    }
}
