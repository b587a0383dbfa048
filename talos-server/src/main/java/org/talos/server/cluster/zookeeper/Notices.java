// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.OwnershipChange;

/**
 * Notifies listeners of the partitions that this server gains and loses. For one partition gain and loss alternate,
 * even if several changes of the cluster arrive as one.
 *
 * <p>Confined: the cluster thread.
 */
final class Notices {
    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);
    private static final TopicOwners NONE = new TopicOwners(0, List.of());

    private final String self;
    private final List<Consumer<OwnershipChange>> listeners = new ArrayList<>();
    private final Map<String, TopicOwners> announced = new HashMap<>();
    private long owned;

    Notices(String self) {
        this.self = self;
    }

    /** Adds a listener and notifies it of all partitions that are owned already. */
    void add(Consumer<OwnershipChange> listener) {
        listeners.add(listener);
        announced.forEach((topicId, owners) -> {
            for (int partition = 0; partition < owners.owners().size(); partition++) {
                if (isOwn(owners, partition)) {
                    deliver(listener, new OwnershipChange(topicId, partition, true));
                }
            }
        });
    }

    /** Sets the topic's owners, or null if it is deleted, and notifies listeners of the changes for this server. */
    void onTopicOwners(String topicId, @Nullable TopicOwners now) {
        TopicOwners before = announced.getOrDefault(topicId, NONE);
        TopicOwners after = now == null ? NONE : now;
        if (now == null) {
            announced.remove(topicId);
        } else {
            announced.put(topicId, now);
        }
        int partitions = Math.max(before.owners().size(), after.owners().size());
        for (int partition = 0; partition < partitions; partition++) {
            boolean own = isOwn(after, partition);
            if (own != isOwn(before, partition)) {
                owned += own ? 1 : -1;
                OwnershipChange change = new OwnershipChange(topicId, partition, own);
                listeners.forEach(listener -> deliver(listener, change));
            }
        }
    }

    /** Number of partitions that this server owns. */
    long owned() {
        return owned;
    }

    private boolean isOwn(TopicOwners owners, int partition) {
        return owners.owner(partition).equals(self);
    }

    private static void deliver(Consumer<OwnershipChange> listener, OwnershipChange change) {
        try {
            listener.accept(change);
        } catch (RuntimeException e) {
            LOG.error("ownership change not handled change={}", change, e);
        }
    }
}
