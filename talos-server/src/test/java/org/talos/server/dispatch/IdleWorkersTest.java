// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IdleWorkersTest {
    private static final int WORKERS = 1_000;

    private final IdleWorkers idle = new IdleWorkers(WORKERS, true);

    private int choose() {
        int chosen = idle.choose(0, worker -> false);
        idle.woken();
        return chosen;
    }

    @Test
    void whoeverIsIdleIsFoundTheLowestNumberFirst() {
        IntStream.of(700, 64, 999, 63, 128).forEach(idle::add);

        assertThat(IntStream.generate(this::choose).limit(6))
                .containsExactly(63, 64, 128, 700, 999, IdleWorkers.NOBODY);
        assertThat(idle.any()).isFalse();
    }

    @Test
    void eachIsIdleByItself() {
        for (int worker = 0; worker < WORKERS; worker += 3) {
            idle.add(worker);
        }

        for (int worker = 0; worker < WORKERS; worker++) {
            assertThat(idle.isIdle(worker)).isEqualTo(worker % 3 == 0);
            assertThat(idle.remove(worker)).isEqualTo(worker % 3 == 0);
            assertThat(idle.remove(worker)).isFalse();
        }
        assertThat(idle.count()).isZero();
    }

    @Test
    void onlyTheWorkerThatATaskIsQueuedForIsWokenIfNoOtherMayRunIt() {
        IdleWorkers bound = new IdleWorkers(WORKERS, false);
        IntStream.of(65, 129).forEach(bound::add);

        assertThat(bound.choose(1, worker -> true)).isEqualTo(IdleWorkers.NOBODY);
        assertThat(bound.choose(129, worker -> true)).isEqualTo(129);
        assertThat(bound.count()).isOne();
    }
}
