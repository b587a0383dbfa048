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
import org.junit.jupiter.api.Test;

/**
 * Submitting and falling asleep at once: no interleaving leaves a task queued while all workers sleep and none is being
 * woken. What the calls return is not compared with a sequence of calls.
 */
class IdleWorkersLincheckTest {
    /**
     * Workers whose loop ends where it would park, so that a sleeping one ends an operation instead of blocking it; who
     * was chosen to be woken goes on in a later one. The queue is a number of tasks: only who looks when is modelled.
     */
    public abstract static class Model {
        private final int workers;
        private final IdleWorkers idle;
        private final AtomicInteger queued = new AtomicInteger();
        private final AtomicIntegerArray loops; // a worker is one thread
        private final boolean[] asleep; // each worker's own

        Model(int workers) {
            this.workers = workers;
            idle = new IdleWorkers(workers, true);
            loops = new AtomicIntegerArray(workers);
            asleep = new boolean[workers];
            work();
        }

        @Operation
        public void submit() {
            queued.incrementAndGet();
            wake();
        }

        /** All workers, one after another: each from a wake-up on until it sleeps. */
        @Operation
        public void work() {
            for (int worker = 0; worker < workers; worker++) {
                if (loops.compareAndSet(worker, 0, 1)) {
                    loop(worker);
                    loops.set(worker, 0);
                }
            }
        }

        private void wake() {
            var unused = idle.choose(0, worker -> queued.get() > 0);
        }

        private void loop(int worker) {
            if (asleep[worker] && !idle.isIdle(worker)) {
                asleep[worker] = false;
                idle.woken();
            }
            while (!asleep[worker]) {
                if (take()) {
                    run();
                } else {
                    fallAsleep(worker);
                }
            }
        }

        private void fallAsleep(int worker) {
            idle.add(worker);
            if (take()) {
                idle.withdraw(worker);
                run();
            } else {
                asleep[worker] = true;
            }
        }

        private boolean take() {
            int before = queued.get();
            while (before > 0 && !queued.compareAndSet(before, before - 1)) {
                before = queued.get();
            }
            return before > 0;
        }

        private void run() {
            if (idle.any() && queued.get() > 0) {
                wake();
            }
        }

        /** Those who were chosen to be woken go on until all sleep: then nothing may be left. */
        @Validate
        public void nothingIsLeftWhenAllSleep() {
            for (int worker = 0; worker < workers; worker++) {
                work(); // who goes on may have chosen another one
            }
            if (queued.get() != 0) {
                throw new IllegalStateException(queued + " tasks wait, and all workers sleep");
            }
        }
    }

    /** Of one worker. */
    public static final class OneWorker extends Model {
        public OneWorker() {
            super(1);
        }
    }

    /** Of two workers, of which the second may be chosen for the first one's task. */
    public static final class TwoWorkers extends Model {
        public TwoWorkers() {
            super(2);
        }
    }

    @Test
    void noInterleavingLeavesATaskQueuedWhileTheWorkerSleeps() throws Exception {
        check(OneWorker.class);
    }

    @Test
    void noInterleavingLeavesATaskQueuedWhileBothWorkersSleep() throws Exception {
        check(TwoWorkers.class);
    }

    /** One submits while another submits, its worker works and sleeps again, and the other submits once more. */
    private static void check(Class<? extends Model> model) throws NoSuchMethodException {
        Actor submit = actor("submit");
        Actor work = actor("work");
        new ModelCheckingOptions()
                .iterations(0)
                .addCustomScenario(scenario(List.of(submit), List.of(submit, work, submit)))
                .addCustomScenario(scenario(List.of(submit, work), List.of(submit, work, submit)))
                .invocationsPerIteration(5_000)
                .minimizeFailedScenario(false)
                .check(model);
    }

    private static ExecutionScenario scenario(List<Actor> one, List<Actor> other) {
        return new ExecutionScenario(List.of(), List.of(one, other), List.of(), null);
    }

    private static Actor actor(String operation) throws NoSuchMethodException {
        return new Actor(Model.class.getMethod(operation), List.of(), false, false, false, false, false);
    }
}
