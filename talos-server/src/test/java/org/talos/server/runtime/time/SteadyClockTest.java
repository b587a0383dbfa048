// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private long wallMillis = 1_700_000_000_000L;
    private long tickerNanos = -5_000_000_000L;
    private final SteadyClock clock = new SteadyClock(() -> Instant.ofEpochMilli(wallMillis), () -> tickerNanos);

    private void pass(Duration time) {
        wallMillis += time.toMillis();
        tickerNanos += time.toNanos();
    }

    @Test
    void goesWithTheClockAndItsSmallCorrections() {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofMinutes(1));
            wallMillis += 50_000; // together far more than one correction may be

            assertThat(clock.millis()).isEqualTo(wallMillis);
            assertThat(clock.aheadMillis()).isZero();
        }
    }

    @Test
    void doesNotFollowAClockThatIsSet() {
        long before = wallMillis;
        for (long days : new long[] {2, -2}) {
            wallMillis += Duration.ofDays(days).toMillis();
            pass(Duration.ofMinutes(1));
            before += Duration.ofMinutes(1).toMillis();

            assertThat(clock.millis()).isEqualTo(before);
            if (days > 0) {
                assertThat(clock.aheadMillis()).isEqualTo(Duration.ofDays(days).toMillis());
            }
        }

        assertThat(clock.aheadMillis()).isZero(); // it was set back
    }
}
