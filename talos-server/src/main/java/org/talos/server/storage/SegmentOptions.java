// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.Map;
import java.util.Optional;
import org.talos.server.config.Durability;

/**
 * The settings of a topic's segments, from its attributes. A store without a choice ignores them. Immutable.
 *
 * @param durability empty: that of the server
 * @param replication copies of a segment; 0: as the server has it
 */
public record SegmentOptions(Optional<Durability> durability, int replication) {
    /** The topic's attribute for the durability: fsync or flush. */
    static final String DURABILITY = "talos.durability";

    /** The topic's attribute for the number of copies. */
    static final String REPLICATION = "talos.replication";

    /** The options of the server. */
    public static final SegmentOptions DEFAULT = new SegmentOptions(Optional.empty(), 0);

    private static final int MAX_REPLICATION = 16;

    /**
     * Returns the options in a topic's attributes; others are skipped.
     *
     * @throws IllegalArgumentException a value is none: says which are
     */
    public static SegmentOptions of(Map<String, String> attributes) {
        return new SegmentOptions(
                Optional.ofNullable(attributes.get(DURABILITY)).map(SegmentOptions::durability),
                Optional.ofNullable(attributes.get(REPLICATION))
                        .map(SegmentOptions::replication)
                        .orElse(0));
    }

    private static Durability durability(String text) {
        return switch (text) {
            case "fsync" -> Durability.FSYNC;
            case "flush" -> Durability.FLUSH;
            default -> throw new IllegalArgumentException(DURABILITY + ": " + text + " (expected: fsync or flush)");
        };
    }

    private static int replication(String text) {
        if (!text.matches("[0-9]{1,2}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MAX_REPLICATION) {
            throw new IllegalArgumentException(REPLICATION + ": " + text + " (expected: 1.." + MAX_REPLICATION + ")");
        }
        return Integer.parseInt(text);
    }
}
