// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Threads and waiting for code that is also simulated: on system threads ({@link SystemThreads}), or, in a simulation,
 * as steps of one thread in an order that a seed decides. A step that waits there lets other steps run.
 *
 * <p>Thread-safe.
 */
public interface Threads {
    /**
     * Returns a loop with a thread of its own, which runs once {@link Loop#start} was called.
     *
     * @param ready whether a step has something to do at once; only a simulation asks
     * @param step waits for something to do, and does it; false ends the loop
     */
    Loop loop(String role, BooleanSupplier ready, BooleanSupplier step);

    /** Runs tasks, as many at once as there are threads. */
    ExecutorService pool(String role, int threads);

    /**
     * Waits for a call of {@code notifyAll}, as {@link Object#wait(long)} does, and may return without one: the caller
     * holds the monitor and checks its condition again.
     *
     * @param millis at most; 0 means no bound
     */
    void await(Object monitor, long millis) throws InterruptedException;

    /** Takes a permit; returns false if there was none in time. */
    boolean acquire(Semaphore permits, long millis) throws InterruptedException;

    /** Waits for a result. */
    <V> V result(Future<V> future) throws InterruptedException, ExecutionException;

    /** Waits for a result, for this time at most. */
    <V> V result(Future<V> future, long millis) throws InterruptedException, ExecutionException, TimeoutException;

    /**
     * Waits for the end of a future, with a result or without; an interrupt of the waiting thread is kept for later.
     */
    default void awaitEnd(Future<?> future) {
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                var unused = result(future);
                ended = true;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | CancellationException e) {
                ended = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs steps until one reports that it was the last. Thread-safe. */
    interface Loop {
        /** Starts the loop, once. */
        void start();

        /** Waits for the loop's end; returns at once if it was never started. */
        void join() throws InterruptedException;
    }
}
