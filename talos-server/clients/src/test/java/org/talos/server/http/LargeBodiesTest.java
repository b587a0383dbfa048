// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order in which requests with large bodies continue. */
@Timeout(60)
class LargeBodiesTest {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();

    private final LargeBodies bodies = new LargeBodies();
    private final CountDownLatch holding = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> order = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() throws Exception {
        bodies.start();
    }

    @AfterEach
    void stop() throws Exception {
        holding.countDown();
        end.countDown();
        bodies.stop();
    }

    /** Keeps all threads busy to the end, but one that is free once the test lets go. */
    private void holdAllThreads() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            CountDownLatch until = i == 0 ? holding : end;
            bodies.execute("holder", () -> {
                held.countDown();
                await(until);
            });
        }
        held.await();
    }

    private static void await(CountDownLatch latch) {
        try {
            var unused = latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void usersTakeTurns() throws Exception {
        holdAllThreads();
        CountDownLatch done = new CountDownLatch(4);
        for (String each : List.of("bob 1", "bob 2", "bob 3", "ada 1")) {
            bodies.execute(each.substring(0, 3), () -> {
                order.add(each);
                done.countDown();
            });
        }

        holding.countDown();

        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactly("bob 1", "ada 1", "bob 2", "bob 3");
    }

    @Test
    void whatComesAfterTheEndRunsOnItsCallersThread() throws Exception {
        bodies.stop();

        bodies.execute("ada", () -> order.add(Thread.currentThread().getName()));

        assertThat(order).containsExactly(Thread.currentThread().getName());
    }
}
