// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * The outcome of a put in one sentence. Immutable.
 *
 * @param counts acknowledged messages by partition; not to be changed
 * @param unanswered messages that were sent and may be stored
 */
record PutSummary(String topic, SortedMap<Integer, Long> counts, long unanswered) {
    /** Returns the outcome so far; may be called by any thread. */
    static PutSummary of(String topic, PutBatches batches) {
        return new PutSummary(topic, batches.byPartition(), batches.unanswered());
    }

    /** Returns the sentence for a put that has ended. */
    String text() {
        if (counts.isEmpty()) {
            return "put nothing to " + topic;
        }
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        String where =
                counts.keySet().stream().map(number -> Integer.toString(number)).collect(Collectors.joining(", "));
        return "put " + total + (total == 1 ? " message" : " messages") + " to " + topic
                + (counts.size() > 1 ? ", partitions " : ", partition ") + where;
    }

    /** Returns the sentence for a put that was interrupted. */
    String interruptedText() {
        return text() + (unanswered > 0 ? "; " + unanswered + " more may be stored" : "");
    }
}
