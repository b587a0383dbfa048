// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.HttpConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.config.ServerConfig;

/**
 * Makes the bounds of memory fit the heap: what clients fill is bounded by them, and a server whose bounds are larger
 * than its heap runs out of memory as soon as somebody fills it.
 *
 * <p>Immutable.
 */
public final class HeapBounds {
    private static final Logger LOG = LoggerFactory.getLogger(HeapBounds.class);

    /** Bodies are contiguous, and the collector needs several times their memory to place them. */
    private static final long HEAP_FOR_REQUESTS = 4;

    /** Bytes that wait for their segments are kept with the objects that say where they belong. */
    private static final long HEAP_FOR_UNWRITTEN = 2;

    /** What a server needs that serves nobody. */
    private static final long OWN_BYTES = 32L << 20;

    /** Part of the heap for the indexes of segments: at 2 GiB enough for some 80 GiB of messages that are read. */
    private static final int HEAP_OF_INDEXES = 64;

    private static final long MEBIBYTE = 1 << 20;
    private static final long LEAST_UNWRITTEN_BYTES = MEBIBYTE;

    private HeapBounds() {}

    /**
     * The configuration as it is if its bounds fit a heap; else with smaller ones, all by the same factor, as far as
     * requests of the largest size are still possible.
     */
    public static ServerConfig fitted(ServerConfig config, long heapBytes) {
        long needed = needed(config);
        double factor = (double) Math.max(0, heapBytes - OWN_BYTES) / needed;
        if (factor >= 1) {
            return config;
        }
        ServerConfig fitted = with(
                config,
                Math.max(largestRequest(config), (long) (config.http().maxRequestMemoryBytes() * factor)),
                (long) (config.log().tailCacheBytes() * factor),
                (long) (config.log().dedupeBytes() * factor),
                Math.max(LEAST_UNWRITTEN_BYTES, (long) (config.log().maxUnwrittenBytes() * factor)));
        LOG.warn(
                "the heap of {} is small for the bounds of memory, smaller ones are in force: give it more, as"
                        + " TALOS_JAVA_OPTS=-Xmx{}m does, or set http.maxRequestMemoryBytes={} log.tailCacheBytes={}"
                        + " log.dedupeBytes={} log.maxUnwrittenBytes={}",
                mebibytes(heapBytes),
                (needed + OWN_BYTES + MEBIBYTE - 1) / MEBIBYTE,
                mebibytes(fitted.http().maxRequestMemoryBytes()),
                mebibytes(fitted.log().tailCacheBytes()),
                mebibytes(fitted.log().dedupeBytes()),
                mebibytes(fitted.log().maxUnwrittenBytes()));
        return fitted;
    }

    /** As it stands in the configuration. */
    private static String mebibytes(long bytes) {
        return bytes / MEBIBYTE + "MiB";
    }

    /** Bytes for the indexes of sealed segments; what is not in memory is read again. */
    public static long indexBytes(long heapBytes) {
        return heapBytes / HEAP_OF_INDEXES;
    }

    private static long largestRequest(ServerConfig config) {
        return Math.max(config.http().maxBodyBytes(), config.service().maxGetBytes());
    }

    private static long needed(ServerConfig config) {
        return HEAP_FOR_REQUESTS * config.http().maxRequestMemoryBytes()
                + config.log().tailCacheBytes()
                + config.log().dedupeBytes()
                + HEAP_FOR_UNWRITTEN * config.log().maxUnwrittenBytes();
    }

    private static ServerConfig with(
            ServerConfig config, long requestBytes, long tailBytes, long dedupeBytes, long unwrittenBytes) {
        return new ServerConfig(
                config.dataDirectory(),
                config.metricsLogInterval(),
                config.management(),
                with(config.http(), requestBytes),
                config.console(),
                config.auth(),
                config.dispatch(),
                config.storage(),
                config.hdfs(),
                config.hbase(),
                config.cluster(),
                config.zookeeper(),
                config.transfer(),
                config.kerberos(),
                with(config.log(), tailBytes, dedupeBytes, unwrittenBytes),
                config.service(),
                config.quota(),
                config.tracing(),
                config.metrics());
    }

    private static HttpConfig with(HttpConfig http, long requestBytes) {
        return new HttpConfig(
                http.host(),
                http.port(),
                http.advertisedHost(),
                http.maxBodyBytes(),
                http.maxControlBodyBytes(),
                requestBytes,
                http.workers(),
                http.dispatch(),
                http.idleTimeout(),
                http.minBodyBytesPerSecond(),
                http.bodyGrace(),
                http.maxConnections(),
                http.corsOrigins(),
                http.limits(),
                http.tls());
    }

    private static LogConfig with(LogConfig log, long tailBytes, long dedupeBytes, long unwrittenBytes) {
        return new LogConfig(
                log.durability(),
                log.segmentBytes(),
                log.segmentAge(),
                log.indexIntervalBytes(),
                tailBytes,
                log.retentionBytesPerPartition(),
                log.retentionInterval(),
                log.dedupeWindow(),
                log.dedupeAge(),
                dedupeBytes,
                log.journalFileBytes(),
                unwrittenBytes);
    }
}
