// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.WorkerCount;
import org.talos.server.runtime.thread.VirtualThreads;

/** The kind of a pool's threads: their initial number, and the measurements of their processor use. */
public sealed interface ThreadKind {
    /** Makes a thread, not started yet. */
    Thread newThread(Runnable work);

    /** Returns the initial number of workers of a pool; it never has fewer. */
    int least(WorkerCount workers);

    /** Returns the use of processors by the workers of a pool, and their waits. */
    ProcessorUse use(KeyAffinityExecutor<?, ?> pool);

    /** Returns the times of the calling thread, which is of this kind; null if they are unknown. */
    @Nullable
    ThreadTimes timesOfCurrentThread();

    /** Threads of the kernel, which counts their times. Immutable. */
    record Kernel(ThreadFactory threads) implements ThreadKind {
        @Override
        public Thread newThread(Runnable work) {
            return threads.newThread(work);
        }

        @Override
        public int least(WorkerCount workers) {
            return workers.least();
        }

        @Override
        public ProcessorUse use(KeyAffinityExecutor<?, ?> pool) {
            return new KernelThreadUse(pool::threadTimes);
        }

        @Override
        public ThreadTimes timesOfCurrentThread() {
            return ThreadTimes.ofCurrentThread();
        }
    }

    /** The JDK's virtual threads, of which only the state is known. Immutable. */
    record Virtual(VirtualThreads threads) implements ThreadKind {
        @Override
        public Thread newThread(Runnable work) {
            return threads.newThread(work);
        }

        @Override
        public int least(WorkerCount workers) {
            return workers.leastVirtual();
        }

        @Override
        public ProcessorUse use(KeyAffinityExecutor<?, ?> pool) {
            return new VirtualThreadUse(pool::runnable, Runtime.getRuntime()::availableProcessors);
        }

        /** Returns null: the times would be those of its current carrier thread. */
        @Override
        public @Nullable ThreadTimes timesOfCurrentThread() {
            return null;
        }
    }
}
