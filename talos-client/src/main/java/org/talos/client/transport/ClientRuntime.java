// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

/**
 * The source of threads, names, and waits for producers and consumers: the machine, or a simulation, which decides the
 * order of all steps. Internal.
 *
 * <p>Thread-safe.
 */
public interface ClientRuntime {
    /** Returns a pool with as many threads as a role has work for. */
    ExecutorService pool(String role);

    /** Threads of a role that run tasks at their time. */
    ScheduledExecutorService timers(String role, int threads);

    /** Returns an executor that runs tasks after a time. */
    Executor later(long nanos, Executor executor);

    /** Returns a lock that may be taken again by its holder; waits for it and for its conditions are here. */
    Lock lock();

    /** Returns the result of a future, waited for without end. */
    <V> V get(Future<V> future) throws InterruptedException, ExecutionException;

    /** Returns the result of a future, waited for some time at most. */
    <V> V get(Future<V> future, long nanos) throws InterruptedException, ExecutionException, TimeoutException;

    /** Returns a unique name. */
    String uniqueName();
}
