// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one client: one for each call in progress, and one for timeouts. None belongs to the program: a task
 * that blocks the JVM's common pool delays no call. Idle ones end by themselves.
 *
 * <p>Thread-safe.
 */
final class CallThreads {
    private static final int IDLE_SECONDS = 10;
    /**
     * The interval at which the timer's thread checks whether it may end. With a shorter one, it would be busy while a
     * task waits.
     */
    private static final int CLOSED_LOOK_MILLIS = 100;

    private final ThreadPoolExecutor pool = ClientThreads.pool("call");
    private final Executor sure = ClientThreads.sure(pool);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, new ClientThreads("timer"));

    CallThreads() {
        timer.setRemoveOnCancelPolicy(true); // calls end long before their time is over
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** Runs tasks that may block, each on a thread. Throws the system's error if it has no thread left. */
    Executor pool() {
        return pool;
    }

    /** Runs a short task on a thread of the client after a time. */
    Future<?> after(Duration time, Runnable task) {
        return timer.schedule(() -> sure.execute(task), time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends idle threads at once, and working ones when they are done. Timeouts still run, as they end calls. */
    void close() {
        pool.setKeepAliveTime(0, TimeUnit.NANOSECONDS);
        timer.setKeepAliveTime(CLOSED_LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
}
