// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.List;

/**
 * What a program does with the messages of one partition.
 *
 * <p>Confined: one thread at a time, of the consumer.
 */
@FunctionalInterface
public interface MessageProcessor {
    /**
     * Processes messages. What it returns from counts as processed; what it throws from is given to it again, all of
     * it, after a pause, and nothing of the partition is skipped.
     *
     * @param messages one or more, in order
     */
    void process(List<FetchedMessage> messages, Checkpoint checkpoint) throws Exception;

    /** The partition is given up; the last call. May still commit, unless the partition was lost. */
    default void stop(Checkpoint checkpoint) throws Exception {}

    /** Makes a processor for each partition that the consumer takes. */
    @FunctionalInterface
    interface Factory {
        /** @param partition that it is for */
        MessageProcessor create(int partition);
    }
}
