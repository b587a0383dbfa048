// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackgroundPoolTest {
    private final AtomicLong nanos = new AtomicLong();
    private final BackgroundPool pool = new BackgroundPool("test", 2, 3, nanos::get);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch hanging = new CountDownLatch(2);

    @AfterEach
    void end() throws Exception {
        gate.countDown();
        pool.shutdown();
        assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    private void hang() {
        hanging.countDown();
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whatIsMoreThanMayWaitIsRefusedWithAReason() throws Exception {
        pool.execute(this::hang);
        pool.execute(this::hang);
        hanging.await();
        CountDownLatch waited = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            pool.execute(waited::countDown);
        }

        assertThatThrownBy(() -> pool.execute(waited::countDown))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("pool test is full: 3 tasks wait for threads that do not return");
        assertThat(pool.waiting()).isEqualTo(3);
        assertThat(pool.running()).isEqualTo(2);
        assertThat(pool.refused()).isEqualTo(1);
        nanos.set(7);
        assertThat(pool.longestNanos()).isEqualTo(7);

        gate.countDown();
        waited.await();
        pool.execute(() -> {});
    }

    @Test
    void taskIsRefusedAndNotKeptWhileThereIsNoThreadAtAll() throws Exception {
        ThreadFactory threads = pool.getThreadFactory();
        pool.setThreadFactory(task -> {
            throw new OutOfMemoryError("unable to create native thread, on purpose");
        });
        assertThatThrownBy(() -> pool.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("pool test has no thread left");
        assertThat(pool.waiting()).isZero();
        assertThat(pool.getQueue()).isEmpty();

        pool.setThreadFactory(threads);
        CountDownLatch ran = new CountDownLatch(1);
        pool.execute(ran::countDown);
        ran.await();
    }

    @Test
    void taskForWhichNoFurtherThreadCanBeStartedIsRunByThoseThatThereAre() throws Exception {
        ThreadFactory threads = pool.getThreadFactory();
        AtomicInteger started = new AtomicInteger();
        pool.setThreadFactory(task -> {
            if (started.getAndIncrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
            }
            return threads.newThread(task);
        });
        CountDownLatch ran = new CountDownLatch(1);

        pool.execute(ran::countDown); // begins with one thread, and asks for another

        ran.await();
        assertThat(started).hasValueGreaterThan(1);
        assertThat(pool.waiting()).isZero();
    }

    @Test
    void periodicTaskIsRepeatedEvenAfterAnError() throws Exception {
        CountDownLatch runs = new CountDownLatch(3);

        var unused = pool.scheduleWithFixedDelay(
                () -> {
                    runs.countDown();
                    throw new AssertionError("thrown by the test");
                },
                0,
                1,
                TimeUnit.MILLISECONDS);

        runs.await();
    }

    @Test
    void whatWaitsAtShutdownIsRunAndWhatIsDelayedIsDropped() throws Exception {
        pool.execute(this::hang);
        pool.execute(this::hang);
        hanging.await();
        CountDownLatch ran = new CountDownLatch(1);
        pool.execute(ran::countDown);
        ScheduledFuture<?> delayed = pool.schedule(() -> {}, 1, TimeUnit.HOURS);

        pool.shutdown();
        gate.countDown();

        ran.await();
        assertThat(delayed.isCancelled()).isTrue();
        assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
}
