// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;

/**
 * Reads the rows again that a server keeps in memory, since other servers change them too. While they can't be read the
 * server goes on with what it knows, and readiness says that the metadata is away.
 *
 * <p>Thread-safe.
 */
public final class CacheRefresh {
    private static final Logger LOG = LoggerFactory.getLogger(CacheRefresh.class);

    private final List<Cache> caches;
    private final AtomicBoolean due = new AtomicBoolean();

    @GuardedBy("this")
    private boolean failing;

    /** For all that keep rows. */
    public CacheRefresh(List<Cache> caches) {
        this.caches = List.copyOf(caches);
    }

    /** Keeps rows in memory. */
    @FunctionalInterface
    public interface Cache {
        /** Reads them again. */
        void refresh() throws MetadataException;
    }

    /** So old is what lookups answer, and the time of a refresh. */
    public void start(ScheduledExecutorService background, Duration age) {
        long millis = age.toMillis();
        var unused = background.scheduleWithFixedDelay(this::refresh, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Another server has changed something: rows are read once for all that was said before. */
    public void soon(Executor background) {
        if (due.compareAndSet(false, true)) {
            background.execute(this::refresh);
        }
    }

    /** Never throws: it would not be run again. */
    synchronized void refresh() {
        due.set(false);
        try {
            for (Cache cache : caches) {
                cache.refresh();
            }
            if (failing) {
                LOG.info("rows are read again; changes of other servers are seen");
            }
            failing = false;
        } catch (MetadataException | RuntimeException e) {
            if (!failing) {
                LOG.warn("rows can't be read again; changes of other servers are not seen error={}", e.toString());
            }
            failing = true;
        }
    }
}
