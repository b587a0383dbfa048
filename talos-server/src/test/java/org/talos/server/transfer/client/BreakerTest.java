// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BreakerTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // differences alone count
    private final Breaker breaker = new Breaker(now::get);

    private void open() {
        for (int i = 0; i < Breaker.FAILURES; i++) {
            assertThat(breaker.tryConnect()).isTrue();
            assertThat(breaker.failed()).isEqualTo(i == Breaker.FAILURES - 1); // the last opens it
        }
    }

    @Test
    void fewFailuresDoNotOpenIt() {
        for (int i = 1; i < Breaker.FAILURES; i++) {
            breaker.failed();
        }
        assertThat(breaker.isPausing()).isFalse();
        assertThat(breaker.succeeded()).isFalse();
        for (int i = 1; i < Breaker.FAILURES; i++) {
            breaker.failed();
        }

        assertThat(breaker.tryConnect()).isTrue(); // not so many in a row
    }

    @Test
    void noTryIsAllowedInAPause() {
        open();
        now.addAndGet(Breaker.PAUSE.toNanos() - 1);

        assertThat(breaker.isPausing()).isTrue();
        assertThat(breaker.tryConnect()).isFalse();
    }

    @Test
    void oneTryIsAllowedAfterEachPause() {
        open();
        for (int i = 0; i < 3; i++) {
            now.addAndGet(Breaker.PAUSE.toNanos());

            assertThat(breaker.isPausing()).isFalse();
            assertThat(breaker.tryConnect()).isTrue();
            assertThat(breaker.isPausing()).isTrue();
            assertThat(breaker.tryConnect()).isFalse(); // the first is still out
        }
    }

    @Test
    void successAllowsAllTries() {
        open();
        now.addAndGet(Breaker.PAUSE.toNanos());
        assertThat(breaker.tryConnect()).isTrue();

        assertThat(breaker.succeeded()).isTrue();

        assertThat(breaker.tryConnect()).isTrue();
        assertThat(breaker.tryConnect()).isTrue();
    }

    @Test
    void failureIsReportedOnceAMinute() {
        open();
        now.addAndGet(Breaker.REMINDER.toNanos() - 1);
        assertThat(breaker.failed()).isFalse();

        now.incrementAndGet();

        assertThat(breaker.failed()).isTrue();
        assertThat(breaker.failed()).isFalse();
    }

    @Test
    void failedTryStartsANewPause() {
        open();
        now.addAndGet(Breaker.PAUSE.toNanos());
        assertThat(breaker.tryConnect()).isTrue();
        now.addAndGet(10);

        assertThat(breaker.failed()).isFalse(); // it was open before

        now.addAndGet(Breaker.PAUSE.toNanos() - 1);
        assertThat(breaker.tryConnect()).isFalse();
    }
}
