// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.talos.server.runtime.time.SystemTime;

/** The wheel, turned by hand under a clock that tests set. */
class TimerWheelTest {
    private long now = 1_000_000;
    private final TimerWheel wheel = TimerWheel.byHand(() -> now);
    private final List<String> ran = new ArrayList<>();

    private void advance(Duration by) {
        now += by.toNanos();
        wheel.advance();
    }

    private long in(Duration time) {
        return now + time.toNanos();
    }

    @Test
    void runsNothingEarlyAndNothingMoreThanTwoTicksLate() {
        wheel.schedule(in(Duration.ofMillis(100)), () -> ran.add("a"));

        advance(Duration.ofMillis(99));
        assertThat(ran).isEmpty();
        advance(Duration.ofMillis(21));
        assertThat(ran).containsExactly("a");
        advance(Duration.ofMinutes(1));
        assertThat(ran).containsExactly("a");
    }

    @Test
    void runsWhatIsFurtherAwayThanOneTurn() {
        wheel.schedule(in(Duration.ofSeconds(30)), () -> ran.add("far"));

        for (int second = 0; second < 29; second++) {
            advance(Duration.ofSeconds(1));
        }
        assertThat(ran).isEmpty();
        advance(Duration.ofSeconds(2));
        assertThat(ran).containsExactly("far");
    }

    @Test
    void runsAtTheNextTurnWhatIsDueAlready() {
        advance(Duration.ofSeconds(1));
        wheel.schedule(now - 1, () -> ran.add("due"));

        advance(Duration.ofMillis(20));
        assertThat(ran).containsExactly("due");
    }

    @Test
    void runsAtTheNextTurnWhatIsSetByAThreadThatStoodStillMeanwhile() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        TimerWheel passed = TimerWheel.byHand(() -> {
            long read = now;
            meanwhile.getAndSet(() -> {}).run();
            return read;
        });
        meanwhile.set(() -> {
            now += Duration.ofMillis(50).toNanos();
            passed.advance();
        });
        passed.schedule(in(Duration.ofMillis(5)), () -> ran.add("late"));

        now += Duration.ofMillis(20).toNanos();
        passed.advance();

        assertThat(ran).containsExactly("late");
    }

    @Test
    void doesNotRunWhatWasCancelled() {
        TimerWheel.Timeout timeout = wheel.schedule(in(Duration.ofMillis(10)), () -> ran.add("a"));

        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.cancel()).isFalse();
        advance(Duration.ofSeconds(1));
        assertThat(ran).isEmpty();
    }

    @Test
    void doesNotRunWhatWasCancelledAfterManyTurns() {
        TimerWheel.Timeout timeout = wheel.schedule(in(Duration.ofSeconds(30)), () -> ran.add("a"));
        advance(Duration.ofSeconds(10));

        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.cancel()).isFalse();
        advance(Duration.ofMinutes(1));
        assertThat(ran).isEmpty();
    }

    @Test
    void whatHasRunCannotBeCancelled() {
        TimerWheel.Timeout timeout = wheel.schedule(in(Duration.ofMillis(10)), () -> ran.add("a"));
        advance(Duration.ofSeconds(1));

        assertThat(ran).containsExactly("a");
        assertThat(timeout.cancel()).isFalse();
    }

    @Test
    void whatAnotherTimeoutCancelsInTheSameTurnDoesNotRun() {
        List<TimerWheel.Timeout> second = new ArrayList<>();
        wheel.schedule(in(Duration.ofMillis(10)), () -> second.forEach(TimerWheel.Timeout::cancel));
        second.add(wheel.schedule(in(Duration.ofMillis(10)), () -> ran.add("second")));

        advance(Duration.ofSeconds(1));
        assertThat(ran).isEmpty();
    }

    @Test
    void continuesAfterATaskThatThrows() {
        wheel.schedule(in(Duration.ofMillis(10)), () -> {
            throw new IllegalStateException("on purpose");
        });
        wheel.schedule(in(Duration.ofMillis(10)), () -> ran.add("next"));

        advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("next");
    }

    @Test
    void continuesAfterAnErrorAlsoOnItsOwnThread() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        try (TimerWheel started = TimerWheel.started(SystemTime.ticker())) {
            started.schedule(0, () -> {
                throw new StackOverflowError("on purpose");
            });
            started.schedule(0, () -> started.schedule(0, ran::countDown)); // in a later turn

            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void sleepsWhileNothingIsDueAndIsWokenByWhatIsSet() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        try (TimerWheel started = TimerWheel.started(SystemTime.ticker())) {
            started.schedule(SystemTime.ticker().nanos() + Duration.ofDays(1).toNanos(), () -> {});
            await().atMost(Duration.ofSeconds(30)).until(started::isAsleep);

            started.schedule(SystemTime.ticker().nanos(), ran::countDown);

            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void wakesForWhatIsDue() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        try (TimerWheel started = TimerWheel.started(SystemTime.ticker())) {
            started.schedule(SystemTime.ticker().nanos() + Duration.ofSeconds(6).toNanos(), ran::countDown);
            await().atMost(Duration.ofSeconds(30)).until(started::isAsleep);

            assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void runsEachOnceWhateverTheStepsOfTheClock() {
        SplittableRandom random = new SplittableRandom(5);
        int[] runs = new int[2_000];
        long[] deadlines = new long[runs.length];
        for (int i = 0; i < runs.length; i++) {
            int mine = i;
            deadlines[i] = in(Duration.ofMillis(random.nextInt(60_000)));
            wheel.schedule(deadlines[i], () -> {
                assertThat(now).isGreaterThanOrEqualTo(deadlines[mine]);
                runs[mine]++;
            });
        }
        for (int step = 0; step < 500; step++) {
            advance(Duration.ofMillis(random.nextInt(500)));
        }

        assertThat(runs).containsOnly(1);
    }
}
