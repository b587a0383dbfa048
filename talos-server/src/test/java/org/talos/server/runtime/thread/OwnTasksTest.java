// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class OwnTasksTest {
    private final Deque<Runnable> shared = new ArrayDeque<>();
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final OwnTasks tasks = new OwnTasks(shared::add, new SystemThreads());

    @Test
    void ownerRunsItselfWhatHasNotBegun() {
        tasks.execute(() -> done.add("a"));
        tasks.execute(() -> done.add("b"));
        shared.remove().run();

        tasks.finish();
        shared.remove().run();

        assertThat(done).containsExactly("a", "b");
    }

    @Test
    void ownerWaitsForWhatRunsAndDropsTheRest() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        tasks.execute(() -> {
            begun.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            done.add("running");
        });
        tasks.execute(() -> done.add("dropped"));
        Thread runner = new Thread(shared.remove());
        runner.start();
        begun.await();

        Thread owner = new Thread(() -> {
            tasks.drop(true);
            done.add("cancelled");
        });
        owner.start();
        await().until(() -> owner.getState() == Thread.State.WAITING);
        gate.countDown();
        owner.join();
        shared.remove().run();

        assertThat(done).containsExactly("running", "cancelled");
    }

    @Test
    void whatIsRefusedIsNotWaitedFor() {
        OwnTasks refusing = new OwnTasks(
                task -> {
                    throw new RejectedExecutionException("full");
                },
                new SystemThreads());

        assertThatThrownBy(() -> refusing.execute(() -> done.add("refused")))
                .isInstanceOf(RejectedExecutionException.class);

        refusing.finish();
        assertThat(done).isEmpty();
    }
}
