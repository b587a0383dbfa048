// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.Map;

/**
 * The request of a group's member. Immutable.
 *
 * @param commit partition to the offset before which it has processed everything; committed first
 * @param positions partition to its next offset, if that is not the committed one
 * @param fromLatest whether a partition without commits of the group begins at its end, not at its start
 */
public record GroupFetch(
        Map<Integer, Long> commit,
        Map<Integer, Long> positions,
        int maxMessages,
        long maxBytes,
        Duration longestWait,
        boolean fromLatest) {
    public GroupFetch {
        commit = Map.copyOf(commit);
        positions = Map.copyOf(positions);
    }
}
