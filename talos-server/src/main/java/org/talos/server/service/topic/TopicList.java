// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.time.Duration;
import java.util.Optional;
import org.talos.server.service.list.ListPage;

/**
 * A page of topics. Immutable.
 *
 * @param age of the oldest figure on the page; empty if it has none
 */
public record TopicList(ListPage<Row> page, Optional<Duration> age) {
    /**
     * A topic of the list. Immutable.
     *
     * @param contents empty unless the caller may describe the topic
     */
    public record Row(String name, String owner, String resourceName, Optional<Contents> contents) {}

    /** The contents of a topic. Immutable. */
    public record Contents(int partitions, int retentionSeconds, TopicFigures.Figures figures) {}
}
