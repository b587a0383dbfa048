// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.OptionalLong;
import org.talos.server.service.list.ListPage;

/**
 * A page of groups of several topics. Immutable.
 *
 * @param isComplete whether all groups of the topics were searched; otherwise there was no memory for some of them
 * @param age of the list, or of the oldest bounds of a partition that were used for a lag on the page
 */
public record GroupList(ListPage<Row> page, boolean isComplete, Duration age) {
    /**
     * A group of the list. Immutable.
     *
     * @param lag empty while it is unknown for a partition, and if the caller may not see it
     */
    public record Row(String topic, String group, OptionalLong lag) {}
}
