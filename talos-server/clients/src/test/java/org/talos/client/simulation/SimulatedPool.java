// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Threads of a machine. Confined: as {@link Turns}. */
final class SimulatedPool extends AbstractExecutorService implements ScheduledExecutorService {
    private final Machine machine;
    private final String role;
    private final List<Turns.SimulatedThread> working = new ArrayList<>();
    private boolean shutDown;

    SimulatedPool(Machine machine, String role) {
        this.machine = machine;
        this.role = role;
    }

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            throw new RejectedExecutionException();
        }
        Turns.SimulatedThread[] thread = new Turns.SimulatedThread[1];
        thread[0] = machine.turns().spawn(machine, role, () -> {
            try {
                task.run();
            } finally {
                working.remove(thread[0]);
            }
        });
        working.add(thread[0]);
    }

    @Override
    @SuppressWarnings("NullAway") // nobody asks for the future of a task that never ends
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long every, TimeUnit unit) {
        machine.after(unit.toNanos(first), () -> {
            if (!shutDown) {
                execute(() -> {
                    task.run();
                    var unused = shutDown ? null : scheduleWithFixedDelay(task, every, every, unit);
                });
            }
        });
        return null;
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        working.forEach(Turns.SimulatedThread::interrupt);
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown && working.isEmpty();
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        long until = machine.turns().nanos() + unit.toNanos(time);
        while (!isTerminated() && machine.turns().nanos() < until) {
            machine.await(this::isTerminated, until);
        }
        return isTerminated();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long every, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }
}
