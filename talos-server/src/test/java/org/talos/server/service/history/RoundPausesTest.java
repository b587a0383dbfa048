// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RoundPausesTest {
    private static final Duration USUAL = Duration.ofSeconds(15);

    private long now = Duration.ofDays(1).toNanos();
    private final RoundPauses pauses = new RoundPauses(USUAL, now);

    private Duration after(long cpuMillis) {
        return pauses.after(Duration.ofMillis(cpuMillis).toNanos(), now);
    }

    @Test
    void shortRoundsComeAtTheUsualPause() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(after(15)).isEqualTo(USUAL);
            now += USUAL.toNanos();
        }
    }

    @Test
    void longRoundsTakeAThousandthOfAProcessorInTheLongRun() {
        long begun = now;
        for (int i = 0; i < 1_000; i++) {
            now += after(100).toNanos();
        }

        double share = Duration.ofSeconds(100).toNanos() / (double) (now - begun);
        assertThat(share).isBetween(0.0009, 0.00102);
    }

    @Test
    void firstRoundsMayTakeASecond() {
        assertThat(after(500)).isEqualTo(USUAL);
        assertThat(after(490)).isEqualTo(USUAL);
        assertThat(after(100)).hasSeconds(90);
    }

    @Test
    void noPauseIsLongerThanFiveMinutes() {
        assertThat(after(60_000)).isEqualTo(RoundPauses.LONGEST);
    }
}
