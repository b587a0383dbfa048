// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.storage.LogId;

class TrafficMeterTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final LogId ID = new LogId(TOPIC, 3);

    private final AtomicLong nanos = new AtomicLong();
    private final TrafficMeter meter = new TrafficMeter(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void trafficIsWhatCameSinceTheLastMeasurement() {
        pass(Duration.ofSeconds(10));
        assertThat(meter.measure(Map.of(ID, 5_000L))).containsExactly(new PartitionTraffic(TOPIC, 3, 500));

        pass(Duration.ofSeconds(2));
        assertThat(meter.measure(Map.of(ID, 6_000L))).containsExactly(new PartitionTraffic(TOPIC, 3, 500));

        pass(Duration.ofSeconds(60));
        assertThat(meter.measure(Map.of(ID, 6_000L))).containsExactly(new PartitionTraffic(TOPIC, 3, 0));
    }

    @Test
    void partitionThatWasOpenedAnewBeginsAnew() {
        pass(Duration.ofSeconds(1));
        meter.measure(Map.of(ID, 9_000L));

        pass(Duration.ofSeconds(1));
        assertThat(meter.measure(Map.of(ID, 100L))).containsExactly(new PartitionTraffic(TOPIC, 3, 100));
    }

    @Test
    void partitionThatIsServedElsewhereIsLeftOut() {
        pass(Duration.ofSeconds(1));
        meter.measure(Map.of(ID, 9_000L));

        pass(Duration.ofSeconds(1));
        assertThat(meter.measure(Map.of())).isEmpty();
    }
}
