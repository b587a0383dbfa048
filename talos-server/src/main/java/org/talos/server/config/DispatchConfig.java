// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import java.util.Locale;

/**
 * The executor's pools: {@code dispatch}. Immutable.
 *
 * @param threads of all pools
 * @param put appends
 * @param get reads that need storage
 * @param control all other calls that may block: topics, groups, offsets
 */
public record DispatchConfig(WorkerThreads threads, PoolConfig put, PoolConfig get, PoolConfig control) {
    private static final int FIRST_VIRTUAL_JDK = 24;
    private static final int MOST_PLATFORM_WORKERS = WorkerCount.MOST_OF_AUTO;

    /** Checks that this JDK has the threads, and the machine as many of them as there are workers. */
    public DispatchConfig {
        int jdk = Runtime.version().feature();
        if (threads == WorkerThreads.VIRTUAL && jdk < FIRST_VIRTUAL_JDK) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "threads: virtual (expected: platform or auto on JDK %d, as virtual ones need %d or newer)",
                    jdk,
                    FIRST_VIRTUAL_JDK));
        }
        if (threads != WorkerThreads.VIRTUAL) {
            checkWorkers("put", put);
            checkWorkers("get", get);
            checkWorkers("control", control);
        }
    }

    private static void checkWorkers(String pool, PoolConfig config) {
        if (config.workers().most() > MOST_PLATFORM_WORKERS) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s.workers: %s (expected: auto or 1..%d)",
                    pool,
                    config.workers(),
                    MOST_PLATFORM_WORKERS));
        }
    }

    /** The kind of the workers' threads: {@code dispatch.threads}. */
    public enum WorkerThreads {
        /** Threads of the kernel. */
        PLATFORM,
        /** The JDK's own, which have a thread of the kernel only while they run; on JDK 24 or newer. */
        VIRTUAL,
        /** The kind that is known to be best: {@link #PLATFORM}, on every JDK. */
        AUTO
    }
}
