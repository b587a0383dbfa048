// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.List;
import org.talos.common.error.TalosException;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;

/**
 * The answer to a group's member. Immutable, but for the memory.
 *
 * @param partitions all that it holds
 * @param revoking those of them that it is to release: it gets no more of them, and they go to others once it has
 *     committed what it has
 * @param commit what became of its commits
 * @param parts messages, by partition
 * @param failed partitions that cannot be read now
 * @param held the memory of the parts: they came one after another, and whoever read each has released it
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

    /** Releases the memory of the parts, which nobody reads any more. May be called again. */
    @Override
    public void close() {
        held.close();
    }

    /**
     * Messages of one partition. Immutable.
     *
     * @param from first offset that is to be given
     * @param missed how many before it had expired unread
     */
    public record Part(int partition, long from, long missed, Fetched found) {}

    /** A partition of which nothing can be given now, and why. Immutable. */
    public record Failed(int partition, TalosException failure) {}
}
