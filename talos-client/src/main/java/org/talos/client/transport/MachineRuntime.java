// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The threads, locks and clocks of the machine. Immutable. */
public final class MachineRuntime implements ClientRuntime {
    @Override
    public ExecutorService pool(String role) {
        return ClientThreads.pool(role);
    }

    @Override
    public ScheduledExecutorService timers(String role, int threads) {
        return Executors.newScheduledThreadPool(threads, new ClientThreads(role));
    }

    @Override
    public Executor later(long nanos, Executor executor) {
        return CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, executor);
    }

    @Override
    public Lock lock() {
        return new ReentrantLock();
    }

    @Override
    public <V> V get(Future<V> future) throws InterruptedException, ExecutionException {
        return future.get();
    }

    @Override
    public <V> V get(Future<V> future, long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public String uniqueName() {
        return UUID.randomUUID().toString();
    }
}
