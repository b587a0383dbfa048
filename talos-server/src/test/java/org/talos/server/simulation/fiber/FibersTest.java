// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.fiber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.Violation;

@Timeout(60)
class FibersTest {
    private static final long SECOND = 1_000_000_000L;

    private final List<String> steps = new ArrayList<>();
    private Fibers fibers = fibers(1);

    private static Fibers fibers(long seed) {
        return new Fibers(new Random(seed), new ArrayList<>());
    }

    @AfterEach
    void close() {
        fibers.close();
    }

    private void stepEachSecond(FiberMachine machine, String name, int times) {
        fibers.spawn(machine, () -> {
            for (int i = 0; i < times; i++) {
                steps.add(name + i);
                fibers.sleep(SECOND);
            }
        });
    }

    @Test
    void stepsThatAreNotNestedInterleave() {
        stepEachSecond(fibers.outside(), "a", 3);
        stepEachSecond(fibers.outside(), "b", 3);

        fibers.run(10 * SECOND);

        assertThat(steps.subList(0, 2)).containsExactlyInAnyOrder("a0", "b0");
        assertThat(steps.subList(2, 4)).containsExactlyInAnyOrder("a1", "b1");
        assertThat(steps.subList(4, 6)).containsExactlyInAnyOrder("a2", "b2");
    }

    @Test
    void seedGivesTheOrder() {
        List<List<String>> orders = new ArrayList<>();
        for (int seed : new int[] {7, 7, 8, 9, 10}) {
            fibers.close();
            fibers = fibers(seed);
            steps.clear();
            stepEachSecond(fibers.outside(), "a", 9);
            stepEachSecond(fibers.outside(), "b", 9);
            fibers.run(10 * SECOND);
            orders.add(List.copyOf(steps));
        }

        assertThat(orders.get(1)).isEqualTo(orders.get(0));
        assertThat(orders.subList(1, orders.size())).doesNotHaveDuplicates();
    }

    @Test
    void waitEndsWithTheStageOrTheTimeout() {
        CompletableFuture<String> late = new CompletableFuture<>();
        fibers.after(5 * SECOND, fibers.outside(), () -> late.complete("done"));
        List<Boolean> ended = new ArrayList<>();
        fibers.spawn(fibers.outside(), () -> {
            ended.add(fibers.await(late, 2 * SECOND));
            ended.add(fibers.await(late, 20 * SECOND));
            steps.add(fibers.nanos() / SECOND + " s");
        });

        fibers.run(60 * SECOND);

        assertThat(ended).containsExactly(false, true);
        assertThat(steps).containsExactly("6 s");
    }

    @Test
    void clockOfASuspendedMachineStandsStillAndThatOfAPausedOneDoesNot() {
        FiberMachine suspended = fibers.machine("suspended");
        FiberMachine paused = fibers.machine("paused");
        long before = fibers.nanos();

        suspended.suspend(10 * SECOND);
        paused.pause(10 * SECOND);
        stepEachSecond(suspended, "a", 1);
        stepEachSecond(paused, "b", 1);
        fibers.run(9 * SECOND);

        assertThat(steps).isEmpty();
        fibers.run(11 * SECOND);
        assertThat(steps).containsExactlyInAnyOrder("a0", "b0");
        assertThat(suspended.nanos() - before).isEqualTo(10 * SECOND);
        assertThat(paused.nanos() - before).isEqualTo(20 * SECOND);
    }

    @Test
    void fibersOfAMachineThatHasEndedRunNoMore() {
        FiberMachine machine = fibers.machine("a");
        stepEachSecond(machine, "a", 9);
        fibers.run(2 * SECOND - 1);

        machine.end();
        fibers.run(10 * SECOND);

        assertThat(steps).containsExactly("a0", "a1");
    }

    @Test
    void brokenPromiseEndsTheRunWhoeverCatchesIt() {
        fibers.spawn(fibers.outside(), () -> {
            try {
                throw fibers.violated("promise", "broken");
            } catch (Violation e) {
                steps.add("caught");
            }
        });

        assertThatThrownBy(() -> fibers.run(SECOND))
                .isInstanceOf(Violation.class)
                .hasMessage("promise: broken");
        assertThat(steps).containsExactly("caught");
    }

    @Test
    void eventMustNotWait() {
        fibers.after(0, fibers.outside(), () -> fibers.sleep(1));

        assertThatThrownBy(() -> fibers.run(SECOND))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("only fibers wait");
    }
}
