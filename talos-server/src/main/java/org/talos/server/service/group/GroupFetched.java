// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.List;
import org.talos.common.error.TalosException;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;

/**
 * The answer to a group's member. Immutable, except for the memory.
 *
 * @param partitions all that it holds
 * @param revoking those of them that it must release: it gets no more of their messages, and they go to others once it
 *     has committed the messages that it has
 * @param commit outcome of its commits
 * @param parts messages, by partition
 * @param failed partitions that cannot be read now
 * @param held memory of the parts, which came one after another, and whose readers have released them
 */
public record GroupFetched(
        List<Integer> partitions,
        List<Integer> revoking,
        GroupCommit commit,
        List<Part> parts,
        List<Failed> failed,
        RequestMemory held)
        implements AutoCloseable {
    public GroupFetched {
        partitions = List.copyOf(partitions);
        revoking = List.copyOf(revoking);
        parts = List.copyOf(parts);
        failed = List.copyOf(failed);
    }

    /** Releases the memory of the parts, which are not read any more. May be called again. */
    @Override
    public void close() {
        held.close();
    }

    /**
     * Messages of one partition. Immutable.
     *
     * @param from first offset to deliver
     * @param missed number of earlier messages that had expired unread
     */
    public record Part(int partition, long from, long missed, Fetched found) {}

    /** A partition that has no messages to give now, and the reason. Immutable. */
    public record Failed(int partition, TalosException failure) {}
}
