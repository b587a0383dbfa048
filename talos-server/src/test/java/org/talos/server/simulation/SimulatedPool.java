// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * An executor without threads: as many of its tasks are under way at once as it would have.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedPool extends AbstractExecutorService implements ScheduledExecutorService {
    private final SimulatedProcess process;
    private final String role;
    private final int threads;
    private final boolean mayWait;
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private final Set<String> waitsFor = new HashSet<>();
    private boolean light;
    private boolean quiet;
    private boolean stopped;
    private int running;

    SimulatedPool(SimulatedProcess process, String role, int threads, boolean mayWait) {
        this.process = process;
        this.role = role;
        this.threads = threads;
        this.mayWait = mayWait;
    }

    /** This one's tasks wait for those of other pools: none is begun while one of them stands below it. */
    public SimulatedPool behind(String... others) {
        waitsFor.addAll(List.of(others));
        return this;
    }

    /** This one's tasks take no lock that a call to the outside is made under: they run while one is under way. */
    public SimulatedPool light() {
        light = true;
        return this;
    }

    /** Its steps are not in the history. */
    public SimulatedPool quiet() {
        quiet = true;
        return this;
    }

    boolean isLight() {
        return light;
    }

    boolean mayWait() {
        return mayWait;
    }

    boolean isRunnable() {
        return !queue.isEmpty()
                && running < threads
                && !(process.nests() && waitsFor.stream().anyMatch(process::isBelow));
    }

    void runOnce() {
        Runnable task = queue.removeFirst();
        running++;
        try {
            if (quiet) {
                process.runQuietly(role, light, task);
            } else {
                process.run(role, light, task);
            }
        } finally {
            running--;
        }
    }

    @Override
    public void execute(Runnable task) {
        if (stopped) {
            throw new RejectedExecutionException(role + " is shut down");
        }
        queue.addLast(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        process.after(unit.toNanos(delay), () -> executeUnlessStopped(task));
        return new FutureOfNobody();
    }

    private void executeUnlessStopped(Runnable task) {
        if (!stopped) {
            queue.addLast(task);
        }
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
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    task.run();
                    var unused = scheduleWithFixedDelay(task, delay, delay, unit);
                },
                first,
                unit);
    }

    /** Stops the pool; queued tasks still run. */
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
        return stopped && queue.isEmpty() && running == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
