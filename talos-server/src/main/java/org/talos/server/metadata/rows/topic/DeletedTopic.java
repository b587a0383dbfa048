// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.Objects;

/**
 * The tombstone of a deleted topic, kept until its data is deleted.
 *
 * <p>Immutable.
 *
 * @param partitions number of partitions that may have data: the larger of the last two numbers
 */
public record DeletedTopic(String topicId, String name, int partitions) {
    public DeletedTopic {
        Objects.requireNonNull(topicId, "topicId");
        Objects.requireNonNull(name, "name");
    }
}
