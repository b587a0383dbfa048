// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.TaskExecutor;

/**
 * Workers that are steps of a pool: tasks of one key run one after another.
 *
 * <p>Confined: the simulation's thread.
 *
 * @param <T> the tasks
 */
public final class SimulatedTasks<T extends Task<?>> implements TaskExecutor<T> {
    private final SimulatedProcess process;
    private final SimulatedPool pool;
    private final Consumer<T> runner;
    private final Map<Object, Deque<T>> waiting = new HashMap<>(); // by key; has each key of which a task runs

    /** @param runner runs a task */
    public SimulatedTasks(SimulatedProcess process, SimulatedPool pool, Consumer<T> runner) {
        this.process = process;
        this.pool = pool;
        this.runner = runner;
    }

    @Override
    public Submission submit(T task) {
        Deque<T> queue = waiting.get(task.key());
        if (queue == null) {
            waiting.put(task.key(), new ArrayDeque<>());
            pool.execute(() -> run(task));
        } else {
            queue.add(task);
        }
        return Submission.ACCEPTED;
    }

    private void run(T task) {
        try {
            if (task.deadlineNanos() - process.now() < 0) {
                task.expired();
            } else {
                runner.accept(task);
            }
        } finally {
            runNext(task.key());
        }
    }

    private void runNext(Object key) {
        T next = waiting.getOrDefault(key, new ArrayDeque<>()).poll();
        if (next == null) {
            waiting.remove(key);
        } else {
            pool.execute(() -> run(next));
        }
    }

    @Override
    public void countRefused() {
        // nothing is refused here
    }
}
