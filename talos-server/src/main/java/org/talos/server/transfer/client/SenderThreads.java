// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that send requests, and the queue in front of them, whose places users share. Idle threads end.
 *
 * <p>Thread-safe.
 */
public final class SenderThreads implements AutoCloseable {
    private static final int KEEP_IDLE_SECONDS = 60;

    private final ThreadPoolExecutor threads;
    private final RequestRoom queue;

    /**
     * Creates the threads as they are needed.
     *
     * @param factory makes the threads
     * @param most threads
     * @param queue most requests that wait for a thread
     */
    public SenderThreads(ThreadFactory factory, int most, int queue) {
        threads = new ThreadPoolExecutor(
                most,
                most,
                KEEP_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), // bounded by the room
                factory);
        threads.allowCoreThreadTimeOut(true);
        this.queue = new RequestRoom(queue);
    }

    /** Returns a place in the queue for work of a user, not taken yet. */
    QueuePlace place(String user, Runnable work) {
        return new QueuePlace(user, work);
    }

    /** Refuses further work. Queued work still runs. May be called twice. */
    @Override
    public void close() {
        threads.shutdown();
    }

    /** A place in the queue. Thread-safe. */
    final class QueuePlace implements Runnable {
        private final String user;
        private final Runnable work;

        private QueuePlace(String user, Runnable work) {
            this.user = user;
            this.work = work;
        }

        /**
         * Queues the work; false if the queue has no place for this user.
         *
         * @throws RejectedExecutionException the threads are closed
         * @throws OutOfMemoryError the system gives the process no more threads
         */
        boolean take() {
            if (!queue.tryEnter(user)) {
                return false;
            }
            try {
                threads.execute(this);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                queue.leave(user);
                throw e;
            }
            return true;
        }

        /** Removes the work from the queue, unless a thread has begun it. */
        void withdraw() {
            if (threads.remove(this)) {
                queue.leave(user);
            }
        }

        /** Runs the work on one of the threads. */
        @Override
        public void run() {
            queue.leave(user);
            work.run();
        }
    }
}
