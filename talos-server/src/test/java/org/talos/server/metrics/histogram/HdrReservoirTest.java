// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Snapshot;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HdrReservoirTest {
    private long now;
    private final HdrReservoir reservoir = new HdrReservoir(() -> now);

    @Test
    void readersDoNotDisturbEachOther() {
        for (int value = 1; value <= 1_000; value++) {
            reservoir.update(value);
        }

        Snapshot first = reservoir.getSnapshot();
        Snapshot second = reservoir.getSnapshot();
        assertThat(first.size()).isEqualTo(1_000);
        assertThat(second.size()).isEqualTo(1_000);
        assertThat(second.getMax()).isBetween(1_000L, 1_010L);
        assertThat(second.get99thPercentile()).isBetween(980.0, 1_000.0);
    }

    @Test
    void tailsAreKeptAndNotSampledAway() {
        for (int i = 0; i < 100_000; i++) {
            reservoir.update(10);
        }
        reservoir.update(1_000_000);

        assertThat(reservoir.getSnapshot().getMax()).isGreaterThanOrEqualTo(1_000_000L);
    }

    @Test
    void valuesOlderThanTheWindowAreForgotten() {
        reservoir.update(5);
        assertThat(reservoir.getSnapshot().size()).isEqualTo(1);
        for (int interval = 0; interval < 8; interval++) {
            now += Duration.ofSeconds(10).toNanos();
            assertThat(reservoir.getSnapshot()).isNotNull();
        }

        assertThat(reservoir.getSnapshot().size()).isZero();
    }

    @Test
    void emptyReservoirShowsZero() {
        Snapshot empty = reservoir.getSnapshot();

        assertThat(empty.size()).isZero();
        assertThat(empty.getMin()).isZero();
        assertThat(empty.getMedian()).isZero();
        assertThat(empty.getValues()).isEmpty();
    }
}
