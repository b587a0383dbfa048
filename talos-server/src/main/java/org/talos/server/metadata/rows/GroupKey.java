// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * A consumer group on one topic.
 *
 * <p>Immutable.
 */
public record GroupKey(String topicId, String group) {
    public GroupKey {
        Objects.requireNonNull(topicId, "topicId");
        Objects.requireNonNull(group, "group");
    }
}
