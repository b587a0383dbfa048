// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import org.talos.server.config.TransferConfig;
import org.talos.server.transfer.client.RequestSenders;

/** The ways in which a server sends requests to others: the shipped one, and others for comparison. */
public enum TransferPools {
    /** Each other server has a queue, and one connection for all requests, answered in any order: as shipped. */
    MULTIPLEXED,
    /** Each other server has a queue, threads, and connections, one for each request. */
    PER_HOST,
    /** All servers share one pool of threads and one queue: the model of Talos 2.1.5. */
    SHARED;

    /** Returns the senders of one server. */
    public RequestSenders senders(TransferConfig config) {
        return switch (this) {
            case MULTIPLEXED -> RequestSenders.oneConnection(config);
            case PER_HOST -> new PoolPerServer(config.queuePerHost());
            case SHARED -> new SharedPool(config.queuePerHost());
        };
    }
}
