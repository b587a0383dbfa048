// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/**
 * The executor's pools: {@code dispatch}. Immutable.
 *
 * @param policy of all pools
 * @param put appends
 * @param get reads that need storage
 * @param control all other calls that may block: topics, groups, offsets
 */
public record DispatchConfig(SelectionPolicy policy, PoolConfig put, PoolConfig get, PoolConfig control) {
    /** How the executor chooses a task's worker: {@code dispatch.policy}. */
    public enum SelectionPolicy {
        /** The worker that has a task of the key, else the least loaded, ties to the lowest number. */
        AFFINITY,
        /** The key's hash modulo the number of workers: the older model, kept for comparison. */
        HASH
    }
}
