// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.List;

/**
 * Processes the messages of a partition; written by the program.
 *
 * <p>Confined: one thread at a time, of the consumer, for each partition. A processor for all partitions is called by
 * several threads at once and must be thread-safe.
 */
@FunctionalInterface
public interface MessageProcessor {
    /**
     * Processes messages. They count as processed when it returns. If it throws, it gets all of them again after a
     * pause; nothing of the partition is skipped.
     *
     * @param messages one or more, of one partition, in order
     */
    void process(List<FetchedMessage> messages, Checkpoint checkpoint) throws Exception;

    /** Called last, when the partition is released. It may still commit, unless the lock was lost. */
    default void stop(Checkpoint checkpoint) throws Exception {}

    /** Creates a processor for each partition that the consumer takes. */
    @FunctionalInterface
    interface Factory {
        /** Returns the processor of a partition. */
        MessageProcessor create(TopicPartition partition);
    }
}
