// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

@Timeout(30)
class NameLocksTest {
    private static final int MANY = 1_000;

    private final NameLocks locks = new NameLocks();
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @AfterEach
    void end() {
        other.shutdownNow();
    }

    private static SegmentName segment(int partition) {
        return new SegmentName(new LogId("0123456789abcdef0123456789abcdef", partition), 0, 1);
    }

    @Test
    void oneSegmentHoldsUpNoOther() throws Exception {
        locks.enter(segment(0));

        Future<?> others = other.submit(() -> {
            for (int i = 1; i < MANY; i++) {
                locks.enter(segment(i));
                locks.leave(segment(i));
            }
        });

        others.get();
        locks.leave(segment(0));
        assertThat(locks.size()).isZero();
    }

    @Test
    void oneThreadAtATimeIsAtASegment() throws Exception {
        AtomicBoolean there = new AtomicBoolean();
        locks.enter(segment(0));
        Thread second = new Thread(() -> {
            locks.enter(segment(0));
            there.set(true);
            locks.leave(segment(0));
        });
        second.start();
        await().until(() -> second.getState() == Thread.State.WAITING);
        assertThat(there).isFalse();

        locks.leave(segment(0));
        second.join();

        assertThat(there).isTrue();
        assertThat(locks.size()).isZero();
    }
}
