// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.List;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.metadata.cache.CacheRefresh;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.runtime.thread.BackgroundPool;

/** Rereads rows in memory that other servers may have changed. Immutable. */
public final class FollowedRows {
    private FollowedRows() {}

    /** Begins rereading, where there may be other servers, and counts the unreadable rows. */
    public static void begin(ServiceFoundation base, BackgroundPool background) {
        ServerConfig config = base.config();
        Repositories rows = base.repositories();
        CacheRefresh users = new CacheRefresh(
                List.of(
                        new CacheRefresh.Cache("users", rows.users()::refresh),
                        new CacheRefresh.Cache("sessions", rows.sessions()::refresh)),
                base.environment().ticker()); // separately: a removed user is out, however long the others take
        CacheRefresh others = new CacheRefresh(
                List.of(
                        new CacheRefresh.Cache("topics", rows.directory()::refresh),
                        new CacheRefresh.Cache("quotas", rows.quotas()::refresh),
                        new CacheRefresh.Cache("quotas of orgs", rows.quotas()::refreshOrgs)),
                base.environment().ticker());
        MetadataMetrics.watchCaches(
                base.environment().metrics(), () -> users.unreadableRows() + others.unreadableRows());
        if (config.storage().metadata() == MetadataIn.HBASE) {
            users.start(background, config.hbase().cacheAge());
            others.start(background, config.hbase().cacheAge());
            base.cluster().coordinator().onRowsChanged(() -> {
                users.request(background);
                others.request(background);
            });
        }
    }
}
