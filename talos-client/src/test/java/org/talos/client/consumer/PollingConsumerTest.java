// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.FatalException;
import org.talos.client.ScriptedServer;
import org.talos.thrift.ErrorCode;

/** What a program in a loop may poll and commit. */
@Timeout(60)
class PollingConsumerTest extends MemberFixture {
    @Test
    void pollBeforeTheStartIsRefused() throws Exception {
        try (PollingConsumer consumer = builder(CONFIG).buildPolling()) {
            assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(10)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("poll: the consumer is not started (expected: start() first)");
        }
    }

    @Test
    void pollAfterAStartThatFailedIsRefused() throws Exception {
        server.then(ScriptedServer.error(ErrorCode.TOPIC_NOT_EXIST, "no such topic"));
        try (PollingConsumer consumer = builder(CONFIG).buildPolling()) {
            assertThatThrownBy(consumer::start).isInstanceOf(FatalException.class);

            assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(10))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void pollOfAConsumerThatWasClosedBeforeItsStartSaysThat() throws Exception {
        PollingConsumer consumer = builder(CONFIG).buildPolling();
        consumer.close();

        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).hasMessageContaining("CLOSED");
    }
}
