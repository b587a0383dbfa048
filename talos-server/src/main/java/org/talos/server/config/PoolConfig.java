// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * One pool of the executor: {@code dispatch.put}, {@code dispatch.get} or {@code dispatch.control}. Immutable.
 *
 * @param workers number of threads, or {@code auto}; more than 1,024 only where they are virtual
 * @param maxWaitingPerKey waiting tasks of one key; beyond it a task is refused
 * @param maxWaiting waiting tasks of all keys; beyond it a task is refused
 * @param maxBatch tasks of one key that run as one batch
 * @param starvationBound longest time that a lower priority is skipped
 */
public record PoolConfig(
        WorkerCount workers, int maxWaitingPerKey, int maxWaiting, int maxBatch, Duration starvationBound) {
    /** Checks every bound. */
    public PoolConfig {
        inRange("maxWaiting", maxWaiting, 1, 10_000_000);
        inRange("maxWaitingPerKey", maxWaitingPerKey, 1, maxWaiting);
        inRange("maxBatch", maxBatch, 1, 100_000);
        inRange("starvationBound", starvationBound, Duration.ofMillis(1), Duration.ofMinutes(10));
    }

    /** A pool with a fixed number of workers. */
    public PoolConfig(int workers, int maxWaitingPerKey, int maxWaiting, int maxBatch, Duration starvationBound) {
        this(WorkerCount.of(workers), maxWaitingPerKey, maxWaiting, maxBatch, starvationBound);
    }
}
