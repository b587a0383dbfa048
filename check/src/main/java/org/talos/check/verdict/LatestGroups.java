// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.HashMap;
import java.util.Map;
import org.talos.check.history.Kind;
import org.talos.check.history.Operation;

/**
 * The groups that begin at the ends of their topics' partitions, one for each of these topics. What was put before the
 * answer to a group's first fetch may belong to it or not; what was put later does. Immutable once it is built.
 */
final class LatestGroups {
    private final Map<String, String> groups = new HashMap<>(); // by topic, as the beginning of its partitions' keys
    private final Map<String, Long> begun = new HashMap<>(); // by group: when its first fetch was answered
    private final Map<String, Long> ends = new HashMap<>(); // by partition: the highest offset to begin at

    LatestGroups(Facts facts) {
        for (Operation each : facts.operations(Kind.LATEST)) {
            begun.put(each.group(), Long.MAX_VALUE);
            each.marks().forEach(mark -> groups.put(topic(mark.key()), each.group()));
        }
        for (Operation each : facts.operations(Kind.POLL)) {
            if (each.ok()) {
                begun.computeIfPresent(
                        each.group(),
                        (group, time) -> Math.min(time, each.span().end()));
            }
        }
        for (Sent each : facts.sent()) {
            String group = groups.get(topic(each.key()));
            if (group != null && !isDue(group, each)) {
                ends.merge(each.key(), facts.offset(each) + 1, Math::max);
            }
        }
    }

    private static String topic(String key) {
        return key.substring(0, key.lastIndexOf('/') + 1);
    }

    /** Returns whether the group is one of them. */
    boolean contains(String group) {
        return begun.containsKey(group);
    }

    /** Returns whether the value must reach the group, which is one of them. */
    boolean isDue(String group, Sent value) {
        return value.begun() > begun.getOrDefault(group, Long.MIN_VALUE);
    }

    /** Returns the highest offset at which the group may begin; 0 for groups that begin at the start. */
    long highestBegin(String group, String key) {
        return group.equals(groups.get(topic(key))) ? ends.getOrDefault(key, 0L) : 0;
    }
}
