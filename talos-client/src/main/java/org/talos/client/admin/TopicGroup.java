// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.List;
import java.util.Optional;

/**
 * A named set of topics that consumers read together. Immutable.
 *
 * @param name 1 to 80 letters, digits, hyphens and underscores
 * @param pattern of the topics' whole names, a regular expression in RE2's syntax; empty for a list
 * @param topics the list, of 1,000 at most; empty for a pattern
 * @param except names that match the pattern and are left out
 */
public record TopicGroup(String name, Optional<String> pattern, List<String> topics, List<String> except) {
    /** Copies the lists. */
    public TopicGroup {
        topics = List.copyOf(topics);
        except = List.copyOf(except);
    }

    /** Returns a group of all topics whose whole names match a pattern, future topics included. */
    public static TopicGroup matching(String name, String pattern) {
        return new TopicGroup(name, Optional.of(pattern), List.of(), List.of());
    }

    /** Returns a group of listed topics. */
    public static TopicGroup of(String name, String... topics) {
        return new TopicGroup(name, Optional.empty(), List.of(topics), List.of());
    }

    /** Returns this group without some topics. */
    public TopicGroup except(String... names) {
        return new TopicGroup(name, pattern, topics, List.of(names));
    }
}
