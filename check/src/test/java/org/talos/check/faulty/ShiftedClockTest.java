// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class ShiftedClockTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    @TempDir
    private Path folder;

    private final AtomicLong nanos = new AtomicLong();

    private ShiftedClock clock(Path file) {
        return new ShiftedClock(file, InstantSource.fixed(NOW), nanos::get);
    }

    @Test
    void theClockIsWrongByWhatTheFileSays() throws Exception {
        Path file = folder.resolve("shift");
        ShiftedClock.shift(file, Duration.ofHours(1));

        assertThat(clock(file).instant()).isEqualTo(NOW.plusSeconds(3_600));
    }

    @Test
    void aChangeOfTheFileIsSeenSoonAndNotReadForEachCall() throws Exception {
        Path file = folder.resolve("shift");
        ShiftedClock.shift(file, Duration.ZERO);
        ShiftedClock clock = clock(file);

        ShiftedClock.shift(file, Duration.ofSeconds(-5));

        assertThat(clock.instant()).isEqualTo(NOW);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(clock.instant()).isEqualTo(NOW.minusSeconds(5));
    }
}
