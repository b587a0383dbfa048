// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The cases that are measured beside each other: a product, its promise when it acknowledges a put, and a client. */
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
    NATS_SYNCED(Product.NATS, true),
    /** The same server as in {@link #FLUSH} under a lean client. */
    FLUSH_LEAN(FLUSH),
    /** The same server as in {@link #FSYNC} under a lean client. */
    FSYNC_LEAN(FSYNC),
    /** The same server as in {@link #KAFKA} under a lean client. */
    KAFKA_LEAN(KAFKA),
    /** The same server as in {@link #KAFKA_SYNCED} under a lean client. */
    KAFKA_SYNCED_LEAN(KAFKA_SYNCED),
    /** The same server as in {@link #ROCKETMQ} under a lean client. */
    ROCKETMQ_LEAN(ROCKETMQ),
    /** The same server as in {@link #ROCKETMQ_SYNCED} under a lean client. */
    ROCKETMQ_SYNCED_LEAN(ROCKETMQ_SYNCED);

    private final Product product;
    private final boolean synced;
    private final @Nullable PeerCase library;

    PeerCase(Product product, boolean synced) {
        this.product = product;
        this.synced = synced;
        library = null;
    }

    PeerCase(PeerCase library) {
        product = library.product;
        synced = library.synced;
        this.library = library;
    }

    Product product() {
        return product;
    }

    Clients clients() {
        return library == null ? Clients.LIBRARY : Clients.LEAN;
    }

    /** Returns the case of the same server under the client library: this one, unless its client is lean. */
    PeerCase library() {
        return library == null ? this : library;
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
        String server = library().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return library == null ? server : server + ", lean client";
    }

    /** As it is written in names of files. */
    String fileName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
