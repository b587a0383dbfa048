// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one client: one for each call under way, and one that says when a time is over. None is the program's:
 * what blocks the JVM's common pool holds up no call. Idle ones end by themselves.
 *
 * <p>Thread-safe.
 */
final class CallThreads {
    private static final int IDLE_SECONDS = 10;
    /** The timer's thread looks so often whether it may end: shorter, it would do nothing else while a task waits. */
    private static final int CLOSED_LOOK_MILLIS = 100;

    private final ThreadPoolExecutor pool = ClientThreads.pool("call");
    private final Executor sure = ClientThreads.sure(pool);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, new ClientThreads("timer"));

    CallThreads() {
        timer.setRemoveOnCancelPolicy(true); // calls end long before their time is over
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** Runs tasks that may block, each on a thread; throws what it fails with if the system has none. */
    Executor pool() {
        return pool;
    }

    /** Runs a short task on a thread of the client after a time. */
    Future<?> after(Duration time, Runnable task) {
        return timer.schedule(() -> sure.execute(task), time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Has idle threads end at once; those that work end then. What waits for its time still runs, as it ends a call.
     */
    void close() {
        pool.setKeepAliveTime(0, TimeUnit.NANOSECONDS);
        timer.setKeepAliveTime(CLOSED_LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
}
