// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutgoingMessageTest {
    @Test
    void headersThatDifferInCapitalsOnlyAreRefusedByName() {
        Map<String, String> headers = Map.of("Trace", "1", "trace", "2");

        assertThatThrownBy(() -> new OutgoingMessage(new byte[] {1}, Optional.empty(), headers))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("headers: [tT]race comes more than once .*");
    }

    @Test
    void headerThatIsSetAgainHasItsLatestValue() {
        OutgoingMessage message =
                OutgoingMessage.of("a").withHeader("Trace", "1").withHeader("trace", "2");

        assertThat(message.headers()).containsExactly(Map.entry("trace", "2"));
    }
}
