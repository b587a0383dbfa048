// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine's threads. Immutable. */
public final class SystemThreads implements Threads {
    private static final Logger LOG = LoggerFactory.getLogger(SystemThreads.class);

    @Override
    public Loop loop(String role, BooleanSupplier ready, BooleanSupplier step) {
        Thread thread = new NamedThreads(role).newThread(() -> {
            while (step.getAsBoolean()) {
                LOG.trace("step done role={}", role);
            }
        });
        return new Loop() {
            @Override
            public void start() {
                thread.start();
            }

            @Override
            public void join() throws InterruptedException {
                thread.join();
            }
        };
    }

    @Override
    public ExecutorService pool(String role, int threads) {
        return Executors.newFixedThreadPool(threads, new NamedThreads(role));
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller's loop asks for the condition
    public void await(Object monitor, long millis) throws InterruptedException {
        monitor.wait(millis);
    }

    @Override
    public boolean acquire(Semaphore permits, long millis) throws InterruptedException {
        return permits.tryAcquire(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public <V> V result(Future<V> future, long millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public <V> V result(Future<V> future) throws InterruptedException, ExecutionException {
        return future.get();
    }
}
