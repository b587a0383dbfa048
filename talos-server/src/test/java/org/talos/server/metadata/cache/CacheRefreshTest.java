// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.runtime.thread.NamedThreads;

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
            CacheRefresh refresh = refresh(TopicDirectory.load(new Topics(store))::refresh, known::refresh);

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
        CacheRefresh refresh = refresh(
                () -> {
                    throw new MetadataException(Reason.CORRUPT, Effect.NONE, "a row");
                },
                () -> {
                    refreshed.incrementAndGet();
                    return new TreeMap<>();
                });

        refresh.refresh();
        refresh.refresh();

        assertThat(refreshed).hasValue(2);
    }

    @Test
    void rowsThatCannotBeReadAreCounted() {
        SortedMap<String, MetadataException> unreadable = new TreeMap<>();
        CacheRefresh refresh = refresh(() -> new TreeMap<>(unreadable));
        unreadable.put("user eve", new MetadataException(Reason.CORRUPT, Effect.NONE, "a row"));

        refresh.refresh();
        assertThat(refresh.unreadableRows()).isEqualTo(1);

        unreadable.clear();
        refresh.refresh();
        assertThat(refresh.unreadableRows()).isZero();
    }

    @Test
    void whatIsWrongIsSaidOnceThenAtIntervals() {
        Reminder reminder = new Reminder(Duration.ofSeconds(10));

        assertThat(reminder.isDue(Set.of("eve"), 0)).isTrue();
        assertThat(reminder.isDue(Set.of("eve"), 1)).isFalse();
        assertThat(reminder.isDue(Set.of("eve", "orders"), 2))
                .as("something new")
                .isTrue();
        assertThat(reminder.isDue(Set.of("orders"), 3)).isFalse();
        long next = 2 + TimeUnit.SECONDS.toNanos(10);
        assertThat(reminder.isDue(Set.of("orders"), next - 1)).isFalse();
        assertThat(reminder.isDue(Set.of("orders"), next)).isTrue();
        assertThat(reminder.isOver()).isTrue();
        assertThat(reminder.isOver()).isFalse();
        assertThat(reminder.isDue(Set.of("orders"), next + 1)).as("again").isTrue();
    }

    private CacheRefresh refresh(CacheRefresh.Reading... caches) {
        return new CacheRefresh(
                Stream.of(caches)
                        .map(each -> new CacheRefresh.Cache("rows", each))
                        .toList(),
                () -> 0);
    }
}
