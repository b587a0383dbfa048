// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.talos.server.metadata.rows.topic.TopicRecord;

/**
 * The topics that a round queries at other servers: some topics in every round, and all others in turn, so that a round
 * costs no more with a hundred thousand partitions than with a few thousand.
 *
 * <p>Confined: one round at a time.
 */
final class RefreshTurns {
    private final int mostPartitions;
    private String last = ""; // the id of the topic whose turn was last

    /** @param mostPartitions of a round, of topics in turn; the last topic may have more */
    RefreshTurns(int mostPartitions) {
        this.mostPartitions = mostPartitions;
    }

    /**
     * Returns the topics of the next round.
     *
     * @param always asked about in each
     */
    List<TopicRecord> next(Collection<TopicRecord> always, Collection<TopicRecord> all) {
        Map<String, TopicRecord> chosen = new LinkedHashMap<>();
        always.forEach(topic -> chosen.put(topic.topicId(), topic));
        NavigableMap<String, TopicRecord> others = new TreeMap<>();
        all.forEach(topic -> others.put(topic.topicId(), topic));
        others.keySet().removeAll(chosen.keySet());
        List<TopicRecord> turns = new ArrayList<>(others.tailMap(last, false).values());
        turns.addAll(others.headMap(last, true).values());
        int partitions = 0;
        for (TopicRecord topic : turns) {
            if (partitions >= mostPartitions) {
                break;
            }
            partitions += topic.partitions();
            chosen.put(topic.topicId(), topic);
            last = topic.topicId();
        }
        return List.copyOf(chosen.values());
    }
}
