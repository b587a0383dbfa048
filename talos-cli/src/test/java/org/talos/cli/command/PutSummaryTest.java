// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PutSummaryTest {
    private static PutSummary summary(Map<Integer, Long> counts, long unanswered) {
        return new PutSummary("orders", new TreeMap<>(counts), unanswered);
    }

    @Test
    void sentenceHasTheMessagesAndTheirPartitions() {
        assertThat(summary(Map.of(), 0).text()).isEqualTo("put nothing to orders");
        assertThat(summary(Map.of(3, 1L), 0).text()).isEqualTo("put 1 message to orders, partition 3");
        assertThat(summary(Map.of(3, 1L, 0, 4L), 0).text()).isEqualTo("put 5 messages to orders, partitions 0, 3");
    }

    @Test
    void interruptedPutSaysWhatMayBeStored() {
        assertThat(summary(Map.of(0, 2L), 0).interruptedText()).isEqualTo("put 2 messages to orders, partition 0");
        assertThat(summary(Map.of(), 3).interruptedText()).isEqualTo("put nothing to orders; 3 more may be stored");
    }
}
