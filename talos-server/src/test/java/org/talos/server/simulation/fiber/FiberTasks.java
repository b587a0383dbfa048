// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.fiber;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.TaskExecutor;

/**
 * Workers whose tasks may suspend: tasks of one key run one after another, tasks of different keys interleave.
 *
 * <p>Confined: as {@link Fibers}.
 *
 * @param <T> the tasks
 */
public final class FiberTasks<T extends Task<?>> implements TaskExecutor<T> {
    private final Fibers fibers;
    private final FiberMachine machine;
    private final Consumer<T> runner;
    private final Map<Object, Deque<T>> waiting = new HashMap<>(); // by key; has each key of which a task runs

    /** @param runner runs a task */
    public FiberTasks(Fibers fibers, FiberMachine machine, Consumer<T> runner) {
        this.fibers = fibers;
        this.machine = machine;
        this.runner = runner;
    }

    @Override
    public Submission submit(T task) {
        Object key = task.key();
        Deque<T> queue = waiting.get(key);
        if (queue != null) {
            queue.add(task);
            return Submission.ACCEPTED;
        }
        Deque<T> created = new ArrayDeque<>();
        created.add(task);
        waiting.put(key, created);
        fibers.spawn(machine, () -> drain(key, created));
        return Submission.ACCEPTED;
    }

    private void drain(Object key, Deque<T> queue) {
        for (T next = queue.poll(); next != null; next = queue.poll()) {
            if (next.deadlineNanos() - machine.nanos() < 0) {
                next.expired();
            } else {
                runner.accept(next);
            }
        }
        waiting.remove(key);
    }

    @Override
    public void countRefused() {
        // nothing is refused here
    }
}
