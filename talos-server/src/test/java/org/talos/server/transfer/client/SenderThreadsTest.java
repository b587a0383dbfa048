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
    void closedThreadsTakeNoWork() {
        SenderThreads threads = threads();
        threads.close();

        assertThatThrownBy(threads.place("ann", () -> {})::take).isInstanceOf(RejectedExecutionException.class);
    }
}
