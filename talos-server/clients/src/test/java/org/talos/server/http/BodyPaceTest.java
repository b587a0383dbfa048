// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BodyPaceTest {
    private static final long SECOND = 1_000_000_000;

    private static final Duration GRACE = Duration.ofSeconds(3);

    private long now;
    private final BodyPace pace = new BodyPace(100, GRACE, 5, () -> now);

    @Test
    void nothingIsTooSlowDuringTheGrace() {
        now = 5 + GRACE.toNanos();

        assertThat(pace.isTooSlow(0)).isFalse();
    }

    @Test
    void afterTheGraceTheAverageCounts() {
        now = 5 + GRACE.toNanos() + 2 * SECOND;

        assertThat(pace.isTooSlow(199)).isTrue();
        assertThat(pace.isTooSlow(200)).isFalse();
    }

    @Test
    void withoutABoundEverythingIsFastEnough() {
        now = Long.MAX_VALUE;

        assertThat(new BodyPace(0, GRACE, 0, () -> now).isTooSlow(0)).isFalse();
    }
}
