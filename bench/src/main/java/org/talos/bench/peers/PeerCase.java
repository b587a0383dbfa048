// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.Locale;

/** The cases that are measured beside each other: a product with its promise when it acknowledges a put. */
enum PeerCase {
    /** Talos, durability flush. */
    FLUSH(Product.TALOS, false),
    /** Talos, durability fsync. */
    FSYNC(Product.TALOS, true),
    /** One broker, as by default: the page cache. */
    KAFKA(Product.KAFKA, false),
    /** One broker that syncs each put before it acknowledges it. */
    KAFKA_SYNCED(Product.KAFKA, true),
    /** One broker, ASYNC_FLUSH as by default: the page cache. */
    ROCKETMQ(Product.ROCKETMQ, false),
    /** One broker, SYNC_FLUSH. */
    ROCKETMQ_SYNCED(Product.ROCKETMQ, true),
    /** A server with streams in files, as by default: the page cache. */
    NATS(Product.NATS, false),
    /** A server that syncs each put before it acknowledges it. */
    NATS_SYNCED(Product.NATS, true);

    private final Product product;
    private final boolean synced;

    PeerCase(Product product, boolean synced) {
        this.product = product;
        this.synced = synced;
    }

    Product product() {
        return product;
    }

    /** Returns whether an acknowledged message survives a power failure. */
    boolean isSynced() {
        return synced;
    }

    /**
     * Returns the promise of an acknowledgement, for tables. One server has one copy, whatever replicas are asked for.
     */
    String promise() {
        return synced ? "on disk, 1 copy" : "in page cache, 1 copy";
    }

    /** As it is written in settings and tables. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
