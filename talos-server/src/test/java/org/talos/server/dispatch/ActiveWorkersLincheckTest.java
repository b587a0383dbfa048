// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/**
 * Submitting, working and changing the number of workers at once: no interleaving leaves a task queued while all
 * workers sleep or have ended, or a worker with two threads or without one.
 */
@Timeout(900) // as much work as it is, it is slow beside other tests
@Tag("full") // processor
@Tag("servers")
public class ActiveWorkersLincheckTest {
    /**
     * As in {@link IdleWorkersLincheckTest}: loops that end where they would park. The second worker comes and goes.
     */
    public static final class Model {
        private static final int WORKERS = 2;

        private final IdleWorkers idle = new IdleWorkers(WORKERS, true);
        private final ActiveWorkers active = new ActiveWorkers(WORKERS);
        private final AtomicInteger queued = new AtomicInteger();
        private final AtomicIntegerArray loops = new AtomicIntegerArray(WORKERS); // a worker is one thread
        private final AtomicIntegerArray threads = new AtomicIntegerArray(WORKERS);
        private final boolean[] asleep = new boolean[WORKERS]; // each worker's own

        public Model() {
            active.resize(WORKERS, this::start);
            work();
        }

        private void start(int worker) {
            threads.incrementAndGet(worker);
        }

        @Operation
        public void submit() {
            queued.incrementAndGet();
            wake();
        }

        /** All workers, one after another: each from a wake-up on until it sleeps or ends. */
        @Operation
        public void work() {
            for (int worker = 0; worker < WORKERS; worker++) {
                if (loops.compareAndSet(worker, 0, 1)) {
                    if (threads.get(worker) > 0) {
                        loop(worker);
                    }
                    loops.set(worker, 0);
                }
            }
        }

        @Operation
        public void shrink() {
            active.resize(1, this::start);
            var unused = idle.remove(1); // it would be woken
        }

        @Operation
        public void grow() {
            active.resize(2, this::start);
        }

        /** Queues a task for the worker that comes and goes. */
        private void wake() {
            var unused = idle.choose(1, worker -> queued.get() > 0);
        }

        private void loop(int worker) {
            boolean ended = false;
            if (asleep[worker] && !idle.isIdle(worker)) {
                asleep[worker] = false;
                idle.woken();
                ended = !take() && ends(worker);
            }
            while (!asleep[worker] && !ended) {
                ended = ends(worker);
                if (!ended && !take()) {
                    ended = fallsAsleepOrEnds(worker);
                }
            }
            if (ended && queued.get() > 0) {
                wake();
            }
        }

        private boolean ends(int worker) {
            if (!active.ends(worker)) {
                return false;
            }
            threads.decrementAndGet(worker);
            return true;
        }

        private boolean fallsAsleepOrEnds(int worker) {
            idle.add(worker);
            boolean taken = take();
            if (!taken && active.isActive(worker)) {
                asleep[worker] = true;
                return false;
            }
            idle.withdraw(worker);
            return !taken && ends(worker);
        }

        private boolean take() {
            int before = queued.get();
            while (before > 0 && !queued.compareAndSet(before, before - 1)) {
                before = queued.get();
            }
            if (before > 0 && idle.any() && queued.get() > 0) {
                wake();
            }
            return before > 0;
        }

        /** Workers that were chosen to be woken continue until all sleep: then nothing may be left. */
        @Validate
        public void nothingIsLeftWhenAllSleep() {
            for (int worker = 0; worker <= WORKERS; worker++) {
                work(); // who continues may have chosen another one
            }
            for (int worker = 0; worker < WORKERS; worker++) {
                if (threads.get(worker) != (active.isActive(worker) ? 1 : 0)) {
                    throw new IllegalStateException(threads + " threads, and " + active.count() + " active workers");
                }
            }
            if (queued.get() != 0) {
                throw new IllegalStateException(queued + " tasks wait, and all workers sleep or have ended");
            }
        }
    }

    @Test
    void noInterleavingLosesATaskOrAWorkerWhileTheNumberChanges() throws Exception {
        Actor submit = actor("submit");
        Actor work = actor("work");
        Actor shrink = actor("shrink");
        Actor grow = actor("grow");
        new ModelCheckingOptions()
                .iterations(0)
                .addCustomScenario(scenario(List.of(submit), List.of(shrink, work)))
                .addCustomScenario(scenario(List.of(submit, work), List.of(shrink, work, submit)))
                .addCustomScenario(scenario(List.of(work, submit), List.of(shrink, grow, work)))
                .addCustomScenario(scenario(List.of(submit, submit), List.of(submit, work, shrink, work)))
                .addCustomScenario(scenario(List.of(shrink, submit), List.of(submit, work)))
                .invocationsPerIteration(SimulationRuns.times(600))
                .minimizeFailedScenario(false)
                .check(Model.class);
    }

    private static ExecutionScenario scenario(List<Actor> one, List<Actor> other) {
        return new ExecutionScenario(List.of(), List.of(one, other), List.of(), null);
    }

    private static Actor actor(String operation) throws NoSuchMethodException {
        return new Actor(Model.class.getMethod(operation), List.of(), false, false, false, false, false);
    }
}
