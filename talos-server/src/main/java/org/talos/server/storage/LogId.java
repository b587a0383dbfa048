// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.regex.Pattern;

/**
 * Names the log of one partition: by the topic's id, which is never used again, not by its name. Immutable.
 *
 * @param topicId 32 lower-case hex digits
 * @param partition from 0
 */
public record LogId(String topicId, int partition) {
    private static final Pattern TOPIC_ID = Pattern.compile("[0-9a-f]{32}");

    /** Refuses whatever could name anything but a log. */
    public LogId {
        if (!TOPIC_ID.matcher(topicId).matches()) {
            throw new IllegalArgumentException("topicId: " + topicId + " (expected: 32 hex digits)");
        }
        if (partition < 0) {
            throw new IllegalArgumentException("partition: " + partition + " (expected: 0 or more)");
        }
    }

    @Override
    public String toString() {
        return topicId + "/" + partition;
    }
}
