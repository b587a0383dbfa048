// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.talos.server.runtime.thread.HandTurnedWheel;

/** Times at which a pool is scanned for overdue tasks. */
class ExpiryTest {
    private static final long TICKS = Duration.ofMillis(20).toNanos(); // a timer is at most so late

    private final AtomicLong now = new AtomicLong();
    private final HandTurnedWheel timers = HandTurnedWheel.of(now::get);
    private final List<Long> looks = new ArrayList<>();
    private OptionalLong earliest = OptionalLong.empty();
    private boolean fails;
    private long takes;

    private final Expiry expiry = new Expiry(timers.wheel(), now::get, () -> {
        looks.add(now.get());
        now.addAndGet(takes);
        if (fails) {
            throw new OutOfMemoryError("on purpose");
        }
        return earliest;
    });

    private void turnTo(Duration time) {
        for (long next = now.get(); next <= time.toNanos(); next += TICKS / 2) {
            now.set(next);
            timers.turn();
        }
    }

    @Test
    void manyTasksOfOneTimeoutAreLookedAtOnce() {
        for (int i = 0; i < 1_000; i++) {
            expiry.queued(Duration.ofSeconds(10).toNanos() + i);
        }
        turnTo(Duration.ofSeconds(9));
        assertThat(looks).isEmpty();

        turnTo(Duration.ofSeconds(60));
        assertThat(looks).hasSize(1);
        assertThat(looks.get(0) - Duration.ofSeconds(10).toNanos()).isBetween(1L, TICKS);
    }

    @Test
    void anEarlierDeadlineHasItsLookInTimeAndTheLaterOneToo() {
        expiry.queued(Duration.ofSeconds(10).toNanos());
        expiry.queued(Duration.ofSeconds(1).toNanos());
        earliest = OptionalLong.of(Duration.ofSeconds(10).toNanos());
        turnTo(Duration.ofSeconds(5));
        assertThat(looks).hasSize(1);

        earliest = OptionalLong.empty();
        turnTo(Duration.ofSeconds(60));
        assertThat(looks).hasSize(2);
        assertThat(looks.get(1) - Duration.ofSeconds(10).toNanos()).isBetween(1L, TICKS);
    }

    @Test
    void nobodyLooksOnceNothingWaits() {
        expiry.queued(Duration.ofSeconds(1).toNanos());
        turnTo(Duration.ofHours(1));
        assertThat(looks).hasSize(1);

        expiry.queued(now.get() + 1);
        turnTo(Duration.ofHours(1).plusSeconds(1));
        assertThat(looks).hasSize(2);
    }

    @Test
    void aLookThatFailsIsRepeated() {
        fails = true;
        expiry.queued(Duration.ofSeconds(1).toNanos());
        turnTo(Duration.ofMillis(1_500));
        assertThat(looks).hasSize(1);

        fails = false;
        turnTo(Duration.ofSeconds(10));
        assertThat(looks).hasSize(2);
    }

    @Test
    void looksThatTakeLongAreFarApart() {
        takes = Duration.ofMillis(50).toNanos();
        expiry.queued(Duration.ofMillis(100).toNanos());
        turnTo(Duration.ofMillis(130));
        assertThat(looks).hasSize(1);
        long end = looks.get(0) + takes;

        now.set(end);
        expiry.queued(end + Duration.ofMillis(20).toNanos());
        expiry.queued(end + Duration.ofMillis(10).toNanos());
        turnTo(Duration.ofSeconds(2));
        assertThat(looks).hasSize(2);
        assertThat(looks.get(1) - end - 8 * takes).isBetween(1L, TICKS);
    }
}
