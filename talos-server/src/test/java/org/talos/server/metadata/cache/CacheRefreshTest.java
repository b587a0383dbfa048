// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.QuotaRecord;
import org.talos.server.metadata.rows.Quotas;
import org.talos.server.metadata.rows.Topics;
import org.talos.server.runtime.NamedThreads;

final class CacheRefreshTest {
    private static final QuotaRecord ONE = new QuotaRecord(1, 1, 1, 1, 1, 1);

    @TempDir
    private Path directory;

    @Test
    void rowsAreReadAgainAndKeptWhileTheyCannotBe() throws Exception {
        MetadataStore store = RocksDbMetadataStore.open(directory.resolve("metadata"));
        ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor(new NamedThreads("test"));
        try {
            Quotas known = Quotas.load(store);
            CacheRefresh refresh = refresh(store, known);

            Quotas.load(store).setUser("ada", ONE);
            refresh.start(background, Duration.ofMillis(10));
            Awaitility.await().until(() -> known.ofUser("ada").isPresent());
            background.shutdown();
            assertThat(background.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
            store.close();
            refresh.refresh();

            assertThat(known.ofUser("ada")).contains(ONE);
        } finally {
            background.shutdownNow();
            store.close();
        }
    }

    @Test
    void cacheThatFailsStopsNoOther() {
        AtomicInteger refreshed = new AtomicInteger();
        CacheRefresh refresh = new CacheRefresh(List.of(
                () -> {
                    throw new MetadataException(Reason.CORRUPT, Effect.NONE, "a row");
                },
                refreshed::incrementAndGet));

        refresh.refresh();
        refresh.refresh();

        assertThat(refreshed).hasValue(2);
    }

    private CacheRefresh refresh(MetadataStore store, Quotas known) throws Exception {
        return new CacheRefresh(List.of(TopicDirectory.load(new Topics(store))::refresh, known::refresh));
    }
}
