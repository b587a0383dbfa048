// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.ArrayList;
import java.util.List;

/**
 * What a server has released lately: content of its node. Immutable.
 *
 * @param released the latest, oldest first
 */
record Releases(List<Release> released) {
    static final Releases NONE = new Releases(List.of());
    /** More than any leader lets a server release at once; this keeps a node below 30 KB. */
    private static final int REMEMBERED = 256;

    Releases {
        released = List.copyOf(released);
    }

    /**
     * A partition that its server has nothing of any more. Immutable.
     *
     * @param epoch of the topic's owners, among whom the server was not the partition's any more
     */
    record Release(String topicId, int partition, long epoch) {
        boolean isOf(Release other) {
            return partition == other.partition && topicId.equals(other.topicId);
        }
    }

    /** These and the later ones, each partition once; the oldest are forgotten. */
    Releases and(List<Release> later) {
        List<Release> all = new ArrayList<>(released);
        for (Release each : later) {
            all.removeIf(each::isOf);
            all.add(each);
        }
        return new Releases(all.subList(Math.max(0, all.size() - REMEMBERED), all.size()));
    }

    boolean isReleased(String topicId, int partition, long epoch) {
        return released.stream()
                .anyMatch(each ->
                        each.epoch >= epoch && each.partition == partition && each.topicId.equals(topicId));
    }
}
