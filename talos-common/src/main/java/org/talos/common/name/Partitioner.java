// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/**
 * The function from a key to its partition. A topic's attribute {@link #ATTRIBUTE} names it, and all producers of the
 * topic use it. Immutable.
 */
public enum Partitioner {
    /**
     * By equal ranges of {@link String#hashCode()}, as the public SDKs do whatever the topic says. Hash codes of keys
     * that differ in their last characters only are close to each other: such keys fall on one partition.
     */
    SDK {
        @Override
        public int partition(String key, int partitions) {
            int interval = Integer.MAX_VALUE / partitions;
            return ((key.hashCode() & Integer.MAX_VALUE) / interval) % partitions;
        }
    },

    /** The partition by {@link Murmur2} of the key's bytes in UTF-8, as Kafka's clients do: keys spread evenly. */
    MURMUR2 {
        @Override
        public int partition(String key, int partitions) {
            return (Murmur2.hash(key.getBytes(StandardCharsets.UTF_8)) & Integer.MAX_VALUE) % partitions;
        }
    };

    /** The topic's attribute, {@code sdk} or {@code murmur2}. A topic without it has {@link #SDK}. */
    public static final String ATTRIBUTE = "talos.partitioner";

    /**
     * Returns the partitioner of a topic with these attributes.
     *
     * @throws IllegalArgumentException there is none of that name: says which there are
     */
    public static Partitioner of(Map<String, String> attributes) {
        return named(nameIn(attributes));
    }

    /** Returns the partitioner in a topic's attributes, known or not. */
    static String nameIn(Map<String, String> attributes) {
        return attributes.getOrDefault(ATTRIBUTE, "sdk");
    }

    static Partitioner named(String name) {
        return switch (name) {
            case "sdk" -> SDK;
            case "murmur2" -> MURMUR2;
            default -> throw new IllegalArgumentException(ATTRIBUTE + ": " + name + " (expected: sdk or murmur2)");
        };
    }

    /** Returns the partition of a key, from 0 to {@code partitions} − 1. */
    public abstract int partition(String key, int partitions);

    /** Returns the name as it stands in the attribute. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
