// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.fiber;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.talos.server.simulation.FutureOfNobody;

/**
 * An executor of one thread, whose tasks may suspend.
 *
 * <p>Confined: as {@link Fibers}.
 */
public final class FiberPool extends AbstractExecutorService implements ScheduledExecutorService {
    private final Fibers fibers;
    private final FiberMachine machine;
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private boolean running;
    private boolean stopped;

    /** An executor on a machine, without tasks. */
    public FiberPool(Fibers fibers, FiberMachine machine) {
        this.fibers = fibers;
        this.machine = machine;
    }

    @Override
    public void execute(Runnable task) {
        if (stopped) {
            throw new RejectedExecutionException("shut down");
        }
        queue.add(task);
        if (!running) {
            running = true;
            fibers.spawn(machine, this::drain);
        }
    }

    private void drain() {
        try {
            for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
                next.run();
            }
        } finally {
            running = false;
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        fibers.after(unit.toNanos(delay), machine, () -> {
            if (!stopped) {
                execute(task);
            }
        });
        return new FutureOfNobody();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    task.run();
                    var unused = scheduleWithFixedDelay(task, delay, delay, unit);
                },
                first,
                unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public void shutdown() {
        stopped = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        stopped = true;
        List<Runnable> left = List.copyOf(queue);
        queue.clear();
        return left;
    }

    @Override
    public boolean isShutdown() {
        return stopped;
    }

    @Override
    public boolean isTerminated() {
        return stopped && queue.isEmpty() && !running;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
