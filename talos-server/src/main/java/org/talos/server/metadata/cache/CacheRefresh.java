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
 * Refreshes the rows that a server caches, since other servers change them too. While they cannot be read the server
 * goes on with stale ones, and readiness reports that the metadata store is unavailable.
 *
 * <p>Thread-safe.
 */
public final class CacheRefresh {
    private static final Logger LOG = LoggerFactory.getLogger(CacheRefresh.class);

    private final List<Cache> caches;
    private final AtomicBoolean requested = new AtomicBoolean();

    @GuardedBy("this")
    private boolean failing;

    /** Refreshes these caches. */
    public CacheRefresh(List<Cache> caches) {
        this.caches = List.copyOf(caches);
    }

    /** A cache of rows. */
    @FunctionalInterface
    public interface Cache {
        /** Reads the rows again. Blocks. */
        void refresh() throws MetadataException;
    }

    /** Refreshes at intervals of {@code age}: cached rows are stale by that, plus the time of a refresh, at most. */
    public void start(ScheduledExecutorService background, Duration age) {
        long millis = age.toMillis();
        var unused = background.scheduleWithFixedDelay(this::refresh, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Refreshes soon, once for all requests until it begins. */
    public void request(Executor background) {
        if (requested.compareAndSet(false, true)) {
            background.execute(this::refresh);
        }
    }

    /** Refreshes all caches, one that fails or not. Never throws: a periodic task that throws is not run again. */
    synchronized void refresh() {
        requested.set(false);
        String failures = "";
        for (Cache cache : caches) {
            try {
                cache.refresh();
            } catch (MetadataException | RuntimeException e) {
                failures += (failures.isEmpty() ? "" : "; ") + e;
            }
        }
        boolean fails = !failures.isEmpty();
        if (failing && !fails) {
            LOG.info("cached rows are refreshed again");
        } else if (!failing && fails) {
            LOG.warn("cached rows can't be refreshed and may be stale error={}", failures);
        }
        failing = fails;
    }
}
