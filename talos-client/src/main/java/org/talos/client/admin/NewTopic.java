// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.talos.common.name.Partitioner;
import org.talos.common.name.TopicDefaults;

/**
 * A topic to be created. Immutable.
 *
 * @param name 1 to 80 letters, digits, hyphens and underscores
 * @param partitions 1 to 256
 * @param retention shortest time for which messages are kept, 1 hour to 365 days, in whole seconds
 * @param attributes settings of the topic by name; without {@link Partitioner#ATTRIBUTE} it is {@code murmur2}
 */
public record NewTopic(String name, int partitions, Duration retention, Map<String, String> attributes) {
    /** Copies the attributes, and adds the partitioner if there is none. */
    public NewTopic {
        Map<String, String> all = new HashMap<>(attributes);
        all.putIfAbsent(Partitioner.ATTRIBUTE, Partitioner.MURMUR2.toString());
        attributes = Map.copyOf(all);
    }

    /** Returns a topic with the protocol's defaults: 8 partitions, and messages kept for a day. */
    public static NewTopic of(String name) {
        return of(name, TopicDefaults.PARTITIONS);
    }

    /** Returns a topic with some number of partitions, and messages kept for a day. */
    public static NewTopic of(String name, int partitions) {
        return new NewTopic(name, partitions, Duration.ofSeconds(TopicDefaults.RETENTION_SECONDS), Map.of());
    }

    /** Returns this topic with messages kept for another time. */
    public NewTopic withRetention(Duration time) {
        return new NewTopic(name, partitions, time, attributes);
    }

    /**
     * Returns this topic with its keys placed in another way: {@link Partitioner#SDK} if public SDKs put to it by key.
     */
    public NewTopic withPartitioner(Partitioner partitioner) {
        return withAttribute(Partitioner.ATTRIBUTE, partitioner.toString());
    }

    /** Returns this topic with one more attribute, or another value of it. */
    public NewTopic withAttribute(String attribute, String value) {
        Map<String, String> more = new HashMap<>(attributes);
        more.put(attribute, value);
        return new NewTopic(name, partitions, retention, more);
    }
}
