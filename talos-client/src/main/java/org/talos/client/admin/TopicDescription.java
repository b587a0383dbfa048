// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Duration;
import java.util.Map;
import org.talos.common.name.Placement;

/**
 * A topic with its settings. Immutable.
 *
 * @param name name that users give
 * @param resourceName names this incarnation of it
 * @param owner user, team or org that owns it
 * @param partitions number of partitions, which are numbered from 0
 * @param retention time for which messages are kept at least
 * @param attributes settings by name
 */
public record TopicDescription(
        String name,
        String resourceName,
        String owner,
        int partitions,
        Duration retention,
        Map<String, String> attributes) {
    /** Copies the attributes. */
    public TopicDescription {
        attributes = Map.copyOf(attributes);
    }

    /** Creates a topic without attributes, as one that the public SDKs made. */
    public TopicDescription(String name, String resourceName, String owner, int partitions, Duration retention) {
        this(name, resourceName, owner, partitions, retention, Map.of());
    }

    /** Returns how the partition of a key is computed: {@code sdk} or {@code murmur2}. */
    public String partitioner() {
        return placement().partitioner();
    }

    /**
     * Returns the partition that the messages of a key go to.
     *
     * @throws IllegalArgumentException the topic's partitioner is of a later version of the SDK
     */
    public int partition(String key) {
        return placement().partition(key);
    }

    private Placement placement() {
        return Placement.of(attributes, partitions);
    }
}
