// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StepThreadsTest {
    private static final long SECOND = 1_000_000_000L;

    private final List<String> steps = new ArrayList<>();
    private final Scheduler scheduler = new Scheduler(new Random(1), new ArrayList<>(), 0);
    private final SimulatedProcess a = process("a");
    private final SimulatedProcess b = process("b");

    @BeforeEach
    void suspendSteps() {
        scheduler.suspendSteps();
    }

    private SimulatedProcess process(String name) {
        return scheduler.process(name);
    }

    @AfterEach
    void close() {
        scheduler.close();
    }

    private void call(SimulatedProcess process, long nanos, String after) {
        process.pool("heavy", 8, true).execute(() -> {
            process.call(nanos, false);
            steps.add(after);
        });
    }

    @Test
    void stepsOfDifferentProcessesEndInTheOrderOfTheirCalls() {
        call(a, 3 * SECOND, "third");
        call(b, SECOND, "first");
        call(process("c"), 2 * SECOND, "second");
        call(process("d"), 4 * SECOND, "fourth");

        scheduler.runUntil(10 * SECOND);

        assertThat(steps).containsExactly("first", "second", "third", "fourth");
    }

    private void callUnderALock() {
        a.pool("heavy", 1, true).execute(() -> {
            synchronized (steps) {
                a.call(2 * SECOND, false);
                steps.add("called");
            }
        });
    }

    @Test
    void onlyLightStepsOfAProcessRunWhileOneThatHoldsALockIsInACall() {
        callUnderALock();
        scheduler.runUntil(SECOND);
        List<String> light = new ArrayList<>();
        a.pool("heavy", 1, true).execute(() -> steps.add("heavy"));
        a.pool("light", 1, true).light().execute(() -> light.add("light"));

        scheduler.runUntil(3 * SECOND / 2);

        assertThat(light).containsExactly("light");
        scheduler.runUntil(10 * SECOND);
        assertThat(steps).containsExactly("called", "heavy");
    }

    @Test
    void allStepsOfAProcessRunWhileOneWithoutLocksIsInACall() {
        call(a, 2 * SECOND, "called");
        scheduler.runUntil(SECOND);
        a.pool("heavy", 1, true).execute(() -> steps.add("heavy"));

        scheduler.runUntil(10 * SECOND);

        assertThat(steps).containsExactly("heavy", "called");
    }

    @Test
    void waitForAMonitorGivesItBack() {
        a.pool("waiting", 1, true).execute(() -> {
            synchronized (steps) {
                while (steps.isEmpty()) {
                    a.await(steps, 0);
                }
                steps.add("woken");
            }
        });
        scheduler.runUntil(SECOND);
        a.pool("waking", 1, true).execute(() -> {
            synchronized (steps) {
                steps.add("waking");
            }
        });

        scheduler.runUntil(2 * SECOND);

        assertThat(steps).containsExactly("waking", "woken");
    }

    @Test
    void waitForAResultEndsWithIt() {
        CompletableFuture<String> result = new CompletableFuture<>();
        a.pool("waiting", 1, true).execute(() -> {
            a.awaitEnd(result);
            steps.add("waited");
        });
        b.after(3 * SECOND, () -> result.complete("done"));
        a.pool("other", 1, true).execute(() -> steps.add("other"));

        scheduler.runUntil(10 * SECOND);

        assertThat(steps).containsExactly("other", "waited");
    }

    @Test
    void stepsOfAPausedProcessContinueWhenItDoes() {
        call(a, SECOND, "paused");
        call(b, 2 * SECOND, "other");
        a.after(SECOND / 2, () -> a.pause(3 * SECOND));

        scheduler.runUntil(3 * SECOND);

        assertThat(steps).containsExactly("other");
        scheduler.runUntil(4 * SECOND);
        assertThat(steps).containsExactly("other", "paused");
    }

    @Test
    void stepsOfAProcessThatWasKilledNeverContinue() {
        call(a, 2 * SECOND, "killed");
        scheduler.runUntil(SECOND);

        scheduler.end(a);
        scheduler.runUntil(10 * SECOND);

        assertThat(steps).isEmpty();
    }

    @Test
    void waitForALockOfASuspendedStepIsFound() {
        callUnderALock();
        scheduler.runUntil(SECOND);
        a.pool("light", 1, true).light().execute(() -> {
            synchronized (steps) {
                steps.add("light");
            }
        });

        assertThatThrownBy(() -> scheduler.runUntil(10 * SECOND))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("a step waits for a lock of a suspended one");
    }
}
