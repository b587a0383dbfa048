// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A change of a topic; fields that are not set stay as they are. Immutable.
 *
 * @param partitions new number of partitions, not less than before
 * @param retention shortest time for which messages are kept, 1 hour to 365 days, in whole seconds
 * @param attributes settings by name; others stay as they are
 */
public record TopicChange(OptionalInt partitions, Optional<Duration> retention, Map<String, String> attributes) {
    /** Creates a change that sets nothing yet. */
    public static final TopicChange NONE = new TopicChange(OptionalInt.empty(), Optional.empty(), Map.of());

    /** Copies the attributes. */
    public TopicChange {
        attributes = Map.copyOf(attributes);
    }

    /** Returns this change and another number of partitions. */
    public TopicChange withPartitions(int number) {
        return new TopicChange(OptionalInt.of(number), retention, attributes);
    }

    /** Returns this change and another time for which messages are kept. */
    public TopicChange withRetention(Duration time) {
        return new TopicChange(partitions, Optional.of(time), attributes);
    }

    /** Returns this change and another value of an attribute. */
    public TopicChange withAttribute(String attribute, String value) {
        Map<String, String> more = new HashMap<>(attributes);
        more.put(attribute, value);
        return new TopicChange(partitions, retention, more);
    }
}
