// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class SenderThreadsTest {
    private final AtomicBoolean hasThreads = new AtomicBoolean(true);

    private SenderThreads threads() {
        return new SenderThreads(
                work -> new Thread(work) {
                    @Override
                    public synchronized void start() {
                        if (!hasThreads.get()) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        super.start();
                    }
                },
                1,
                1);
    }

    @Test
    void workWithoutAThreadLeavesItsPlaceToOthers() throws Exception {
        try (SenderThreads threads = threads()) {
            hasThreads.set(false);
            assertThatThrownBy(threads.place("ann", () -> {})::take).isInstanceOf(OutOfMemoryError.class);
            hasThreads.set(true);

            CountDownLatch ran = new CountDownLatch(1);
            assertThat(threads.place("ann", ran::countDown).take()).isTrue();
            ran.await();
        }
    }

    @Test
    void fullQueueTakesNoWork() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        try (SenderThreads threads = threads()) {
            assertThat(threads.place("ann", () -> holdThread(begun, mayEnd)).take())
                    .isTrue();
            begun.await();
            assertThat(threads.place("ann", ran::countDown).take()).isTrue();

            assertThat(threads.place("ann", () -> {}).take()).isFalse();

            mayEnd.countDown();
            ran.await();
        }
    }

    @Test
    void withdrawnWorkLeavesItsPlaceToOthers() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        AtomicBoolean withdrawnRan = new AtomicBoolean();
        try (SenderThreads threads = threads()) {
            assertThat(threads.place("ann", () -> holdThread(begun, mayEnd)).take())
                    .isTrue();
            begun.await();
            SenderThreads.QueuePlace withdrawn = threads.place("ann", () -> withdrawnRan.set(true));
            assertThat(withdrawn.take()).isTrue();

            withdrawn.withdraw();

            assertThat(threads.place("ann", ran::countDown).take()).isTrue();
            mayEnd.countDown();
            ran.await();
            assertThat(withdrawnRan).isFalse();
        }
    }

    private static void holdThread(CountDownLatch begun, CountDownLatch mayEnd) {
        begun.countDown();
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void closedThreadsTakeNoWork() {
        SenderThreads threads = threads();
        threads.close();

        assertThatThrownBy(threads.place("ann", () -> {})::take).isInstanceOf(RejectedExecutionException.class);
    }
}
