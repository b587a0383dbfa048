// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.auth.UserAdmin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.Quotas;
import org.talos.server.metadata.TopicDirectory;

/**
 * Reads the rows again that a server keeps in memory, since other servers change them too. While they can't be read the
 * server goes on with what it knows, and readiness says that the metadata is away.
 *
 * <p>Thread-safe.
 */
final class CacheRefresh {
    private static final Logger LOG = LoggerFactory.getLogger(CacheRefresh.class);

    private final TopicDirectory topics;
    private final Quotas quotas;
    private final UserAdmin users;
    private final AtomicBoolean due = new AtomicBoolean();

    @GuardedBy("this")
    private boolean failing;

    CacheRefresh(TopicDirectory topics, Quotas quotas, UserAdmin users) {
        this.topics = topics;
        this.quotas = quotas;
        this.users = users;
    }

    /** So old is what lookups answer, and the time of a refresh. */
    void start(ScheduledExecutorService background, Duration age) {
        long millis = age.toMillis();
        var unused = background.scheduleWithFixedDelay(this::refresh, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Another server has changed something: rows are read once for all that was said before. */
    void soon(Executor background) {
        if (due.compareAndSet(false, true)) {
            background.execute(this::refresh);
        }
    }

    /** Never throws: it would not be run again. */
    synchronized void refresh() {
        due.set(false);
        try {
            topics.refresh();
            quotas.refresh();
            users.refresh();
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
