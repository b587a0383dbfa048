// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LogPaceTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final LogPace pace = new LogPace(Duration.ofSeconds(10), now::get);

    @Test
    void firstEventIsLoggedAtOnceAndFurtherOnesTogetherAfterTheInterval() {
        assertThat(pace.count()).isEqualTo(1);
        assertThat(pace.count()).isZero();
        assertThat(pace.count()).isZero();
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));

        assertThat(pace.count()).isEqualTo(3);
        assertThat(pace.count()).isZero();
    }
}
