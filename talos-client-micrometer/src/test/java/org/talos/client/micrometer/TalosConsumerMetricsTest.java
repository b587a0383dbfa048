// SPDX-License-Identifier: Apache-2.0
package org.talos.client.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.consumer.ConsumerSnapshot;
import org.talos.client.consumer.ConsumerSnapshot.Partition;
import org.talos.client.consumer.TopicPartition;

/** Which meters a consumer has, and what they show of its snapshots. */
@Timeout(60)
class TalosConsumerMetricsTest {
    private final HandDrivenClock clock = new HandDrivenClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private int taken;
    private ConsumerSnapshot snapshot = of(partition(0, 7, 5, 3));
    private final TalosConsumerMetrics metrics = new TalosConsumerMetrics(
            () -> {
                taken++;
                return snapshot;
            },
            Tags.of("application", "billing"));

    /** A clock that stands at the beginning of 1970 until it is moved. Confined: the test. */
    private static final class HandDrivenClock implements Clock {
        private Duration passed = Duration.ZERO;

        void add(Duration time) {
            passed = passed.plus(time);
        }

        @Override
        public long wallTime() {
            return passed.toMillis();
        }

        @Override
        public long monotonicTime() {
            return passed.toNanos();
        }
    }

    @AfterEach
    void close() {
        metrics.close();
    }

    private static Partition partition(int number, long position, long committed, long lag) {
        return new Partition(
                new TopicPartition("orders", number),
                OptionalLong.of(position),
                OptionalLong.of(committed),
                OptionalLong.of(lag),
                false,
                100);
    }

    private static ConsumerSnapshot of(Partition... partitions) {
        return new ConsumerSnapshot("shop", "me", true, Optional.of(Instant.EPOCH.plusSeconds(1)), List.of(partitions));
    }

    /** The values of the meters that have the tags of the consumer, by name and partition. */
    private static Map<String, Double> values(MeterRegistry of) {
        Map<String, Double> values = new TreeMap<>();
        for (Meter each : of.getMeters()) {
            assertThat(each.getId().getTag("group")).isEqualTo("shop");
            String partition = Stream.of(
                            each.getId().getTag("topic"), each.getId().getTag("partition"))
                    .filter(tag -> tag != null)
                    .reduce("", (one, other) -> one + " " + other);
            double value = each.measure().iterator().next().getValue();
            values.put(each.getId().getName().replace("talos.consumer.", "") + partition, value);
        }
        return values;
    }

    @Test
    void metersShowWhatTheSnapshotHas() {
        clock.add(Duration.ofSeconds(3));

        metrics.bindTo(registry);

        assertThat(values(registry))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "lag orders 0", 3.0,
                        "position orders 0", 7.0,
                        "committed orders 0", 5.0,
                        "paused orders 0", 0.0,
                        "buffered orders 0", 100.0,
                        "partitions", 1.0,
                        "contact.age", 2.0));
        assertThat(registry.get("talos.consumer.lag").gauge().getId().getTag("application"))
                .isEqualTo("billing");
    }

    @Test
    void whatIsNotKnownIsNoNumber() {
        snapshot = new ConsumerSnapshot(
                "shop",
                "me",
                true,
                Optional.empty(),
                List.of(new Partition(
                        new TopicPartition("orders", 0),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        true,
                        0)));

        metrics.bindTo(registry);

        assertThat(values(registry))
                .containsEntry("lag orders 0", Double.NaN)
                .containsEntry("position orders 0", Double.NaN)
                .containsEntry("committed orders 0", Double.NaN)
                .containsEntry("contact.age", Double.NaN)
                .containsEntry("paused orders 0", 1.0);
    }

    @Test
    void readingAllMetersTakesOneSnapshotASecond() {
        metrics.bindTo(registry);
        int before = taken;

        assertThat(values(registry)).containsEntry("lag orders 0", 3.0);
        assertThat(values(registry)).containsEntry("lag orders 0", 3.0);
        assertThat(taken).isEqualTo(before);

        snapshot = of(partition(0, 8, 5, 2));
        clock.add(Duration.ofSeconds(1));
        assertThat(values(registry)).containsEntry("lag orders 0", 2.0);
        assertThat(taken).isEqualTo(before + 1);
    }

    @Test
    void metersComeAndGoWithTheirPartitions() {
        metrics.bindTo(registry);
        snapshot = of(partition(1, 2, 2, 4), partition(2, 2, 2, 5));

        metrics.update();

        assertThat(values(registry))
                .containsEntry("lag orders 1", 4.0)
                .containsEntry("lag orders 2", 5.0)
                .containsEntry("partitions", 2.0)
                .doesNotContainKey("lag orders 0");
    }

    @Test
    void partitionThatMovesToAnotherConsumerOfTheProgramKeepsItsMeters() {
        ConsumerSnapshot[] others = {of()};
        try (TalosConsumerMetrics other =
                new TalosConsumerMetrics(() -> others[0], Tags.of("application", "billing"))) {
            metrics.bindTo(registry);
            other.bindTo(registry);

            others[0] = snapshot;
            other.update();
            snapshot = of();
            metrics.update();

            assertThat(values(registry)).containsEntry("lag orders 0", 3.0);
            others[0] = of();
            other.update();
            assertThat(values(registry)).doesNotContainKey("lag orders 0");
        }
    }

    /** As of two consumers to which the program has assigned the same partition. */
    @Test
    void consumerWithMoreTagsKeepsItsMetersOfTheSamePartition() {
        Tags more = Tags.of("application", "billing", "instance", "2");
        try (TalosConsumerMetrics other = new TalosConsumerMetrics(() -> snapshot, more)) {
            other.bindTo(registry);
            metrics.bindTo(registry);
            assertThat(registry.find("talos.consumer.lag").gauges()).hasSize(2);

            metrics.close();

            assertThat(registry.get("talos.consumer.lag").gauge().getId().getTag("instance"))
                    .isEqualTo("2");
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void eachRegistryHasMetersUntilTheMetricsAreClosed() {
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(registry);
        metrics.bindTo(second);
        assertThat(values(second)).containsEntry("lag orders 0", 3.0);

        metrics.close();
        metrics.close();

        assertThat(registry.getMeters()).isEmpty();
        assertThat(second.getMeters()).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> metrics.bindTo(registry));
    }
}
