// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** Who sends requests to other servers: {@code transfer.pools}. */
public enum TransferPools {
    /** Each server that is asked has threads, a queue and connections of its own. */
    PER_HOST,
    /** All servers share one pool of threads and one queue: the older model, kept for comparison. */
    SHARED
}
