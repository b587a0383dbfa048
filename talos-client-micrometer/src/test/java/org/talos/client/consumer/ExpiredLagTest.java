// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.micrometer.TalosConsumerMetrics;

/** The lag of a consumer that stands where messages have expired: nobody can read those any more. */
@Timeout(60)
class ExpiredLagTest extends MemberFixture {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @Test
    void lagDoesNotCountMessagesThatHaveExpired() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (PollingConsumer consumer = builder(
                                CONFIG.toBuilder().autoCommit(false).build())
                        .assign(List.of(ORDERS))
                        .buildPolling()
                        .start();
                TalosConsumerMetrics metrics = new TalosConsumerMetrics(consumer)) {
            consumer.pause(List.of(ORDERS));
            consumer.seek(ORDERS, 0);
            offsets = offsets(3, 9);
            metrics.bindTo(registry);

            await().until(() -> lag(registry) > 0);

            assertThat(lag(registry)).isEqualTo(7);
        }
    }

    private static double lag(SimpleMeterRegistry registry) {
        return registry.get("talos.consumer.lag").gauge().value();
    }
}
