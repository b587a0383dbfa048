// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** How the executor chooses a task's worker: {@code dispatch.policy}. */
public enum SelectionPolicy {
    /** The worker that has a task of the key, else the least loaded, ties to the lowest number. */
    AFFINITY,
    /** The key's hash modulo the number of workers: the older model, kept for comparison. */
    HASH
}
