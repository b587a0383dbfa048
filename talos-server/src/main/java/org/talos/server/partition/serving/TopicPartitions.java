// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.Optional;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.storage.LogId;

/**
 * The functions of partitions that the calls about topics need: the seam to the code that serves them. Thread-safe; all
 * but {@link #figures} and {@link #seen} block.
 */
public interface TopicPartitions {
    /** Opens all partitions that are not open yet; they are served when this returns. */
    void open(TopicRecord topic);

    /** Closes the topic's partitions and deletes their contents. */
    void delete(DeletedTopic topic);

    /** Asks other servers for the figures of their partitions of a topic. */
    void refresh(TopicRecord topic);

    /**
     * Returns the figures of a partition now, or when its server was last asked.
     *
     * @throws TalosException PARTITION_NOT_SERVING
     */
    PartitionFigures figures(String topicId, int partition);

    /**
     * Returns the bounds of a partition now, or at the last query of its server; empty if no server is known to serve
     * it. Queries no other server.
     */
    Optional<SeenBounds> seen(LogId id);
}
