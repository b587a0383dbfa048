// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordingTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INVALID_TOPIC_PARAMS: there is a user ann already | there is a user ann already",
                "INVALID_TOPIC_PARAMS: messageRetentionSecs: 7 (expected: 3600..31536000)"
                        + " | --retention: 7 s (expected: 1h to 365d)",
                "INVALID_TOPIC_PARAMS: partitionNumber: 0 (expected: 1..256) | --partitions: 0 (expected: 1 to 256)",
                "MESSAGE_OFFSET_OUT_OF_RANGE: Message out range: offset 77 is not in the partition: it has 0 to 6"
                        + " | MESSAGE_OFFSET_OUT_OF_RANGE: offset out of range: offset 77 is not in the partition: it"
                        + " has 0 to 6",
                "INVALID_NAME_ERROR: orgId: a name that begins with CL"
                        + " | INVALID_NAME_ERROR: the name of an org begins with CL",
                "TOPIC_NOT_EXIST: no topic orders | TOPIC_NOT_EXIST: no topic orders",
            })
    void refusalIsSaidWithTheWordsOfTheCommandLine(String ofServer, String shown) {
        assertThat(Wording.of(ofServer)).isEqualTo(shown);
    }
}
