// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PutBufferTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final ReentrantLock lock = new ReentrantLock();
    private final PutBuffer buffer = new PutBuffer(100, 100, lock);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void fill() throws Exception {
        assertThat(buffer.acquire(1, 90, Duration.ZERO)).isTrue();
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** A thread that waits for room, once it certainly does. */
    private Future<Boolean> waiting(long size) {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Future<Boolean> waiting = threads.submit(() -> {
            thread.complete(Thread.currentThread());
            return buffer.acquire(1, size, LONG);
        });
        await().until(() -> thread.join().getState() == Thread.State.TIMED_WAITING);
        return waiting;
    }

    @Test
    void oneReleaseWakesAllForWhomItHasRoom() throws Exception {
        Future<Boolean> first = waiting(40);
        Future<Boolean> second = waiting(40);
        Future<Boolean> third = waiting(40);

        buffer.release(1, 90);

        assertThat(first.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(third.isDone()).isFalse();
        buffer.release(1, 40);
        assertThat(third.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(buffer.messages()).isEqualTo(2);
    }

    @Test
    void smallMessageDoesNotWaitBehindALargeOne() throws Exception {
        Future<Boolean> large = waiting(80);
        Future<Boolean> small = waiting(20);

        buffer.release(0, 30);

        assertThat(small.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(large.isDone()).isFalse();
    }

    @Test
    void whoGivesUpIsForgotten() throws Exception {
        Future<Boolean> first = waiting(40);
        Future<Boolean> second = waiting(40);

        first.cancel(true);
        buffer.release(1, 90);

        assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void roomThatIsThereIsTakenPastThoseWhoWait() throws Exception {
        Future<Boolean> large = waiting(80);

        assertThat(buffer.acquire(1, 10, Duration.ZERO)).isTrue();
        assertThat(large.isDone()).isFalse();
    }

    @Test
    void messagesThatComeTogetherHaveRoomTogether() throws Exception {
        PutBuffer few = new PutBuffer(5, 100, lock);
        assertThat(few.acquire(3, 10, Duration.ZERO)).isTrue();

        assertThat(few.acquire(3, 10, Duration.ZERO)).isFalse();
        assertThat(few.acquire(2, 10, Duration.ZERO)).isTrue();
        few.release(5, 20);

        assertThat(few.acquire(6, 10, Duration.ZERO)).isTrue(); // alone, as what is larger than all
        assertThat(few.messages()).isEqualTo(6);
    }

    @Test
    void whatIsHeldMakesSendersWaitEvenIfThereWasNoRoom() throws Exception {
        buffer.hold(50);
        assertThat(buffer.bytes()).isEqualTo(140);
        Future<Boolean> sender = waiting(40);

        buffer.release(0, 50);
        assertThat(sender.isDone()).isFalse();
        buffer.release(0, 40);

        assertThat(sender.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closingEndsAllWaits() throws Exception {
        Future<Boolean> first = waiting(80);
        Future<Boolean> second = waiting(80);

        buffer.close();

        assertThat(first.get(20, TimeUnit.SECONDS)).isFalse();
        assertThat(second.get(20, TimeUnit.SECONDS)).isFalse();
    }
}
