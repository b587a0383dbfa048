// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.List;
import java.util.Objects;

/**
 * A named set of topics, for consumers that read many of them.
 *
 * <p>Immutable.
 *
 * @param owner id of the user or org it belongs to
 * @param pattern over whole topic names; empty if the topics are listed
 * @param topics names, if they are listed
 * @param except names that are excluded, even if the pattern matches
 */
public record TopicGroupRecord(String name, String owner, String pattern, List<String> topics, List<String> except) {
    public TopicGroupRecord {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(pattern, "pattern");
        topics = List.copyOf(topics);
        except = List.copyOf(except);
    }
}
