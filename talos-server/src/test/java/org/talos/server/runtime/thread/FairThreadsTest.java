// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order in which tasks run: on two threads, of which one user may have one. */
@Timeout(60)
class FairThreadsTest {
    private final AtomicLong processorNanos = new AtomicLong();
    private final FairThreads threads = new FairThreads("fair", 1, processorNanos::get);
    private final CountDownLatch holding = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> order = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        holding.countDown();
        end.countDown();
        threads.close();
    }

    /** Keeps one thread busy to the end, and the other one until the test releases it. */
    private void holdThreads() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(2);
        hold("holder", held, holding);
        hold("other holder", held, end);
        held.await();
    }

    private void hold(String user, CountDownLatch held, CountDownLatch until) {
        threads.execute(user, () -> {
            held.countDown();
            var unused = await(until);
        });
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Runs tasks, each named by its user and a number, on the thread that is released. */
    private void run(List<String> tasks, int turnsOfBob) {
        CountDownLatch done = new CountDownLatch(tasks.size());
        for (String each : tasks) {
            String user = each.substring(0, 3);
            threads.execute(user, () -> {
                order.add(each);
                processorNanos.addAndGet((user.equals("bob") ? turnsOfBob : 1) * FairThreads.TURN_NANOS);
                done.countDown();
            });
        }

        holding.countDown();

        assertThat(await(done)).isTrue();
    }

    @Test
    void usersTakeTurns() throws Exception {
        holdThreads();

        run(List.of("bob 1", "bob 2", "bob 3", "ada 1"), 1);

        assertThat(order).containsExactly("bob 1", "ada 1", "bob 2", "bob 3");
    }

    @Test
    void userWhoseTasksTakeLongWaitsForAsMuchTimeOfOthers() throws Exception {
        holdThreads();

        run(List.of("bob 1", "bob 2", "ada 1", "ada 2", "ada 3", "ada 4"), 3);

        assertThat(order).containsExactly("bob 1", "ada 1", "ada 2", "ada 3", "bob 2", "ada 4");
    }

    @Test
    void tasksOfOneUserLeaveAThreadToOthers() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        hold("bob", held, end);
        hold("bob", new CountDownLatch(1), end);
        held.await();
        CountDownLatch done = new CountDownLatch(1);

        threads.execute("ada", done::countDown);

        assertThat(await(done)).isTrue();
    }

    @Test
    void whatAUserHasBeyondTheBoundRunsOnceTheUsersOthersHaveEnded() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        hold("bob", held, holding);
        held.await();
        threads.execute("bob", done::countDown);
        threads.execute("bob", done::countDown);

        holding.countDown();

        assertThat(await(done)).isTrue();
    }

    @Test
    void tasksThatWaitHoldNoPlacesForThreads() throws Exception {
        holdThreads();

        for (int i = 0; i < 100; i++) {
            threads.execute("bob", () -> {});
        }

        assertThat(threads.runners()).isEqualTo(2);
    }

    @Test
    void taskThatFailsKeepsNoOthersFromRunning() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < 5; i++) { // more than there are threads
            threads.execute("bob", () -> {
                throw new IllegalStateException("on purpose");
            });
        }

        threads.execute("bob", done::countDown);

        assertThat(await(done)).isTrue();
    }

    @Test
    void whatComesAfterTheEndRunsOnItsCallersThread() throws Exception {
        threads.close();

        threads.execute("ada", () -> order.add(Thread.currentThread().getName()));

        assertThat(order).containsExactly(Thread.currentThread().getName());
    }
}
