// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DelaysTest {
    private static final int MANY = 200_000;

    @Test
    void exponentialDelaysHaveTheirMeanAndTheirBoundAndFollowFromTheNumber() {
        BlockingDelays delays = new BlockingDelays(Duration.ofNanos(50_000), Duration.ofMillis(1), 1);
        long[] nanos = LongStream.range(0, MANY).map(delays::nanosOf).toArray();

        assertThat(LongStream.of(nanos).average().orElseThrow()).isCloseTo(50_000, within(1_000.0));
        // an exponential distribution is above its mean in 1/e of all cases
        long above = LongStream.of(nanos).filter(each -> each > 50_000).count();
        assertThat((double) above / MANY).isCloseTo(Math.exp(-1), within(0.01));
        assertThat(LongStream.of(nanos).max().orElseThrow()).isLessThanOrEqualTo(1_000_000);
        assertThat(delays.nanosOf(7)).isEqualTo(nanos[7]);
    }

    @Test
    void delaysAreCutToTheirBound() {
        BlockingDelays delays = new BlockingDelays(Duration.ofNanos(50_000), Duration.ofNanos(60_000), 1);

        assertThat(LongStream.range(0, 100).map(delays::nanosOf).max().orElseThrow())
                .isEqualTo(60_000);
    }

    @Test
    void lognormalDelaysHaveTheirMedianTheirP99AndTheirBound() {
        LognormalDelays delays =
                new LognormalDelays(Duration.ofMillis(3), Duration.ofMillis(15), Duration.ofMillis(20), 1);
        long[] sorted =
                LongStream.generate(delays::nextNanos).limit(MANY).sorted().toArray();

        assertThat(sorted[MANY / 2] / 1e6).isCloseTo(3, within(0.05));
        assertThat(sorted[MANY / 100 * 99] / 1e6).isCloseTo(15, within(0.5));
        assertThat(sorted[MANY - 1] / 1e6).isEqualTo(20);
    }

    @Test
    void keysAreDistinctAndSpreadAsIndependentOnesDo() {
        List<String> keys = Keys.independent(120, 1);

        assertThat(new HashSet<>(keys)).hasSize(120);
        // 120 balls in 120 boxes leave about 44 boxes empty
        long used = keys.stream()
                .mapToInt(key -> Math.floorMod(key.hashCode(), 120))
                .distinct()
                .count();
        assertThat(used).isBetween(60L, 92L);
    }
}
