// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/**
 * Submitting and falling asleep at once: no interleaving leaves a task queued while all workers sleep and none is being
 * woken. What the calls return is not compared with a sequence of calls.
 */
@Timeout(900) // as much work as it is, it is slow beside other tests
class IdleWorkersLincheckTest {
    /**
     * Workers whose loop ends where it would park, so that a sleeping one ends an operation instead of blocking it; who
     * was chosen to be woken continues in a later one. A queue is a number of tasks: only who looks when is modelled.
     */
    public abstract static class Model {
        private final int workers;
        private final IdleWorkers idle;
        private final AtomicIntegerArray queued; // one for all workers, or one for each
        private final AtomicIntegerArray loops; // a worker is one thread
        private final boolean[] asleep; // each worker's own

        Model(int workers, boolean anyMayRun) {
            this.workers = workers;
            idle = new IdleWorkers(workers, anyMayRun);
            queued = new AtomicIntegerArray(anyMayRun ? 1 : workers);
            loops = new AtomicIntegerArray(workers);
            asleep = new boolean[workers];
            work();
        }

        /** For the first worker. */
        @Operation
        public void submit() {
            submit(0);
        }

        /** For the last worker. */
        @Operation
        public void submitToLast() {
            submit(workers - 1);
        }

        private void submit(int worker) {
            queued.incrementAndGet(queueOf(worker));
            wake(worker);
        }

        private int queueOf(int worker) {
            return Math.min(worker, queued.length() - 1);
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

        private void wake(int preferred) {
            var unused = idle.choose(preferred, worker -> queued.get(queueOf(worker)) > 0);
        }

        private void loop(int worker) {
            if (asleep[worker] && !idle.isIdle(worker)) {
                asleep[worker] = false;
                idle.woken();
            }
            while (!asleep[worker]) {
                if (take(worker)) {
                    run(worker);
                } else {
                    fallAsleep(worker);
                }
            }
        }

        private void fallAsleep(int worker) {
            idle.add(worker);
            if (take(worker)) {
                idle.withdraw(worker);
                run(worker);
            } else {
                asleep[worker] = true;
            }
        }

        private boolean take(int worker) {
            int queue = queueOf(worker);
            int before = queued.get(queue);
            while (before > 0 && !queued.compareAndSet(queue, before, before - 1)) {
                before = queued.get(queue);
            }
            return before > 0;
        }

        private void run(int worker) {
            if (idle.any() && queued.get(queueOf(worker)) > 0) {
                wake(worker);
            }
        }

        /** Workers that were chosen to be woken continue until all sleep: then nothing may be left. */
        @Validate
        public void nothingIsLeftWhenAllSleep() {
            for (int worker = 0; worker < workers; worker++) {
                work(); // who continues may have chosen another one
            }
            for (int queue = 0; queue < queued.length(); queue++) {
                if (queued.get(queue) != 0) {
                    throw new IllegalStateException(queued + " tasks wait, and all workers sleep");
                }
            }
        }
    }

    /** Of one worker. */
    public static final class OneWorker extends Model {
        public OneWorker() {
            super(1, true);
        }
    }

    /** Of two workers, of which the second may be chosen for the first one's task. */
    public static final class TwoWorkers extends Model {
        public TwoWorkers() {
            super(2, true);
        }
    }

    /** Of two workers with a queue each. */
    public static final class BoundWorkers extends Model {
        public BoundWorkers() {
            super(2, false);
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

    @Test
    void noInterleavingLeavesATaskQueuedForAWorkerThatSleeps() throws Exception {
        Actor submit = actor("submit");
        check(BoundWorkers.class, scenario(List.of(submit, actor("work")), List.of(submit, actor("submitToLast"))));
    }

    /** One submits while another submits, its worker works and sleeps again, and the other submits once more. */
    private static void check(Class<? extends Model> model) throws NoSuchMethodException {
        Actor submit = actor("submit");
        Actor work = actor("work");
        check(
                model,
                scenario(List.of(submit), List.of(submit, work, submit)),
                scenario(List.of(submit, work), List.of(submit, work, submit)));
    }

    /** Runs the scenarios in one check: each check transforms the classes that it needs, and transforms them back. */
    private static void check(Class<? extends Model> model, ExecutionScenario... scenarios) {
        ModelCheckingOptions options = new ModelCheckingOptions()
                .iterations(0)
                .invocationsPerIteration(SimulationRuns.times(600))
                .minimizeFailedScenario(false);
        for (ExecutionScenario scenario : scenarios) {
            options.addCustomScenario(scenario);
        }
        options.check(model);
    }

    private static ExecutionScenario scenario(List<Actor> one, List<Actor> other) {
        return new ExecutionScenario(List.of(), List.of(one, other), List.of(), null);
    }

    private static Actor actor(String operation) throws NoSuchMethodException {
        return new Actor(Model.class.getMethod(operation), List.of(), false, false, false, false, false);
    }
}
