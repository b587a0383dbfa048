// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.runtime.time.Ticker;

/**
 * Refreshes the rows that a server caches, since other servers change them too. While they cannot be read the server
 * continues with stale ones, and readiness reports that the metadata store is unavailable. Each cache is tried by
 * itself, in its order.
 *
 * <p>Thread-safe.
 */
public final class CacheRefresh {
    private static final Logger LOG = LoggerFactory.getLogger(CacheRefresh.class);
    private static final Duration REMINDER = Duration.ofMinutes(10);
    private static final int SHOWN = 10; // a damaged table would fill the log

    private final List<Cache> caches;
    private final Ticker ticker;
    private final AtomicBoolean requested = new AtomicBoolean();
    private volatile int unreadableRows;

    @GuardedBy("this")
    private final Reminder reminder = new Reminder(REMINDER);

    /** Refreshes these caches, in this order. */
    public CacheRefresh(List<Cache> caches, Ticker ticker) {
        this.caches = List.copyOf(caches);
        this.ticker = ticker;
    }

    /**
     * A cache of rows. Immutable.
     *
     * @param name for the log
     */
    public record Cache(String name, Reading rows) {}

    /** How a cache is read again. */
    @FunctionalInterface
    public interface Reading {
        /**
         * Reads the rows again, as many of them as can be read. Blocks.
         *
         * @return why the others cannot be read, by whose they are; these stay as they were
         * @throws MetadataException none can be read
         */
        SortedMap<String, MetadataException> refresh() throws MetadataException;
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

    /**
     * Returns the number of rows that could not be read at the last refresh, without caches that could not be read at
     * all.
     */
    public int unreadableRows() {
        return unreadableRows;
    }

    /** Refreshes all caches, one that fails or not. Never throws: a periodic task that throws is not run again. */
    synchronized void refresh() {
        requested.set(false);
        SortedMap<String, Exception> stale = new TreeMap<>();
        int rows = 0;
        for (Cache cache : caches) {
            try {
                SortedMap<String, MetadataException> unreadable = cache.rows.refresh();
                rows += unreadable.size();
                stale.putAll(unreadable);
            } catch (MetadataException | RuntimeException e) {
                stale.put("all " + cache.name, e);
            }
        }
        unreadableRows = rows;
        say(stale);
    }

    @GuardedBy("this")
    private void say(SortedMap<String, Exception> stale) {
        if (stale.isEmpty()) {
            if (reminder.isOver()) {
                LOG.info("cached rows refreshed again");
            }
        } else if (reminder.isDue(stale.keySet(), ticker.nanos())) {
            LOG.warn(
                    "cached rows not refreshed, they may be stale count={} first={}",
                    stale.size(),
                    stale.entrySet().stream()
                            .limit(SHOWN)
                            .map(each -> each.getKey() + ": " + each.getValue())
                            .toList());
        }
    }
}
