// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * What is left of a deleted topic until its data is gone too.
 *
 * <p>Immutable.
 *
 * @param partitions how many may have data: the larger of the last two numbers
 */
public record DeletedTopic(String topicId, String name, int partitions) {
    public DeletedTopic {
        Objects.requireNonNull(topicId, "topicId");
        Objects.requireNonNull(name, "name");
    }
}
