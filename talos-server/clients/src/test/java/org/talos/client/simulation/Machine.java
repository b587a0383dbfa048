// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.talos.client.transport.ClientRuntime;

/**
 * A process of a program that uses the client: its threads and its clock, which may differ from the others'. It may be
 * paused and killed.
 *
 * <p>Confined: as {@link Turns}.
 */
public final class Machine implements ClientRuntime {
    private static final long EPOCH_MILLIS = 1_700_000_000_000L;

    private final Turns turns;
    private final String name;
    private long pausedUntil;
    private long pausedNanos;
    private long aheadMillis;
    private boolean killed;

    Machine(Turns turns, String name) {
        this.turns = turns;
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Sets how far its wall clock is ahead of the servers'. */
    void clockAhead(long millis) {
        aheadMillis = millis;
    }

    /** Its wall clock, ms since 1970. */
    public long wallMillis() {
        return EPOCH_MILLIS + aheadMillis + turns.nanos() / 1_000_000;
    }

    /** The steps of all machines. */
    public Turns turns() {
        return turns;
    }

    /** Nothing of it runs for some time. */
    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, turns.nanos() + nanos);
        pausedNanos += nanos;
    }

    boolean isPaused() {
        return pausedUntil > turns.nanos();
    }

    long pausedUntil() {
        return pausedUntil;
    }

    /** Returns how long it has been paused in total. */
    long pausedNanos() {
        return pausedNanos;
    }

    /** Ends it: nothing of it happens any more. */
    void kill() {
        killed = true;
        turns.unwind(this);
    }

    /** Returns whether it has been killed. */
    public boolean isKilled() {
        return killed;
    }

    /** Throws if it has been killed: whatever it asks for happens no more. */
    public void requireAlive() {
        if (killed) {
            throw new Killed();
        }
    }

    /** Runs a task on a thread of its own. */
    void run(String role, Runnable task) {
        var unused = turns.spawn(this, role, task);
    }

    /** Runs a short task after a time, unless it has been killed by then. */
    public void after(long nanos, Runnable task) {
        turns.at(turns.nanos() + nanos, this, task);
    }

    /** Runs a short task after a time, whatever becomes of this machine. */
    public void outside(long nanos, Runnable task) {
        turns.at(turns.nanos() + nanos, turns.outside(), task);
    }

    void await(BooleanSupplier ready, long untilNanos) throws InterruptedException {
        requireAlive();
        turns.await(ready, untilNanos);
    }

    void sleep(long nanos) throws InterruptedException {
        await(() -> false, turns.nanos() + nanos);
    }

    @Override
    public ExecutorService pool(String role) {
        return new SimulatedPool(this, role);
    }

    @Override
    public ScheduledExecutorService timers(String role, int threads) {
        return new SimulatedPool(this, role);
    }

    @Override
    public Executor later(long nanos, Executor executor) {
        return task -> after(nanos, () -> executor.execute(task));
    }

    @Override
    public Lock lock() {
        return new SimulatedLock(this);
    }

    @Override
    public <V> V get(Future<V> future) throws InterruptedException, ExecutionException {
        turns.mayYield();
        while (!future.isDone()) {
            await(future::isDone, Long.MAX_VALUE);
        }
        return future.get();
    }

    @Override
    public <V> V get(Future<V> future, long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        turns.mayYield();
        long until = turns.nanos() + nanos;
        long end = until < 0 ? Long.MAX_VALUE : until;
        while (!future.isDone()) {
            if (turns.nanos() >= end) {
                throw new TimeoutException();
            }
            await(future::isDone, end);
        }
        return future.get();
    }

    @Override
    public String uniqueName() {
        return String.format(Locale.ROOT, "%016x", turns.random().nextLong());
    }
}
