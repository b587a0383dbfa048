// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Names the log of one partition by the topic's id, which is never reused, and not by the topic's name. Immutable.
 *
 * @param topicId 32 lower-case hex digits
 * @param partition from 0
 */
public record LogId(String topicId, int partition) {
    private static final int TOPIC_ID_DIGITS = 32;

    /** Refuses names of anything but a log. */
    public LogId {
        if (!isTopicId(topicId)) {
            throw new IllegalArgumentException("topicId: " + topicId + " (expected: 32 hex digits)");
        }
        if (partition < 0) {
            throw new IllegalArgumentException("partition: " + partition + " (expected: 0 or more)");
        }
    }

    /** Returns the logs of a topic, in the order of its partitions. */
    public static List<LogId> all(String topicId, int partitions) {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new LogId(topicId, partition))
                .toList();
    }

    /** Checks an id without a regular expression: ids are created by the hundred thousand, and in each put and get. */
    private static boolean isTopicId(String text) {
        boolean valid = text.length() == TOPIC_ID_DIGITS;
        for (int i = 0; valid && i < TOPIC_ID_DIGITS; i++) {
            char digit = text.charAt(i);
            valid = (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
        }
        return valid;
    }

    @Override
    public String toString() {
        return topicId + "/" + partition;
    }
}
