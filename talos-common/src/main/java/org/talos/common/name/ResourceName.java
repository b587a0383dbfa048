// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.Optional;

/**
 * The name of one incarnation of a topic: {@code owner#topic#id}. The owner may contain {@code #}. Immutable.
 *
 * @param owner user, team or org that owns the topic
 * @param topic name of the topic
 * @param topicId id of the incarnation, never used again
 */
public record ResourceName(String owner, String topic, String topicId) {
    /** Parses a name from its end; empty if it has fewer than three parts or an empty one. */
    public static Optional<ResourceName> parse(String text) {
        int last = text.lastIndexOf('#');
        int middle = last < 0 ? -1 : text.lastIndexOf('#', last - 1);
        if (middle <= 0 || last == middle + 1 || last == text.length() - 1) {
            return Optional.empty();
        }
        return Optional.of(new ResourceName(
                text.substring(0, middle), text.substring(middle + 1, last), text.substring(last + 1)));
    }

    @Override
    public String toString() {
        return owner + "#" + topic + "#" + topicId;
    }
}
