// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.single.SingleServerCoordinator;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;

/** Histories of topics and groups, over partitions that are only numbers. */
@Timeout(60)
class WatchedHistoriesTest {
    @TempDir
    private Path directory;

    private final Map<LogId, LogBounds> logs = new HashMap<>();
    private long nanos = Duration.ofDays(1).toNanos();
    private RocksDbMetadataStore store;
    private TopicDirectory topics;
    private Offsets offsets;
    private WatchedHistories histories;

    @BeforeEach
    @SuppressWarnings("NullAway") // nothing is read by way of the routes
    void open() throws Exception {
        store = RocksDbMetadataStore.open(directory.resolve("metadata"));
        topics = TopicDirectory.load(new Topics(store));
        offsets = new Offsets(store);
        PartitionRequests here = new Numbers();
        PartitionRoutes routes = new PartitionRoutes(
                new SingleServerCoordinator(), here, null, member -> here, () -> nanos, new LongWaits());
        histories = new WatchedHistories(topics, offsets, routes, () -> nanos, () -> Instant.ofEpochSecond(7));
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Partitions of which only the bounds are asked. Confined: the test. */
    private final class Numbers implements PartitionRequests {
        @Override
        public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
            Map<LogId, LogBounds> found = new HashMap<>(logs);
            found.keySet().retainAll(ids);
            return CompletableFuture.completedFuture(found);
        }

        @Override
        public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }
    }

    private TopicRecord topic(String name, int partitions) throws Exception {
        TopicRecord topic = new TopicRecord(
                name,
                String.format(Locale.ROOT, "%032x", name.hashCode() & 0xFFFFFFFFL),
                "ada",
                partitions,
                partitions,
                86_400,
                Map.of(),
                Map.of(),
                1,
                0,
                null,
                null,
                List.of());
        assertThat(topics.create(topic)).isTrue();
        return topic;
    }

    private void log(TopicRecord topic, int partition, long start, long end) {
        logs.put(new LogId(topic.topicId(), partition), new LogBounds(start, end, end * 10));
    }

    private void roundAfter(long seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
        histories.round();
    }

    private double[] figure(TopicRecord topic, String name) {
        return histories.ofTopic("ann", topic, List.of(name)).figures().getOrDefault(name, new double[0]);
    }

    private double[] figure(TopicRecord topic, String group, String name) {
        return histories.ofGroup("ann", topic, group, List.of(name)).figures().getOrDefault(name, new double[0]);
    }

    @Test
    void topicIsMeasuredFromTheFirstQuestionOn() throws Exception {
        TopicRecord orders = topic("orders", 2);
        log(orders, 0, 0, 10);
        log(orders, 1, 5, 20);
        roundAfter(5);
        assertThat(figure(orders, "messages")).isEmpty();

        roundAfter(5);
        log(orders, 0, 0, 60);
        roundAfter(5);

        assertThat(figure(orders, "messages")).containsExactly(25, 75);
        assertThat(figure(orders, "bytes")).containsExactly(300, 800);
        assertThat(figure(orders, "putsPerSecond")).containsExactly(Double.NaN, 10);
    }

    @Test
    void topicOfWhichAPartitionHasNoServerIsNotKnown() throws Exception {
        TopicRecord orders = topic("orders", 2);
        log(orders, 0, 0, 10);
        figure(orders, "messages");

        roundAfter(5);

        assertThat(figure(orders, "messages")).containsExactly(Double.NaN);
    }

    @Test
    void groupsLagIsReadEachThirdRoundAndStaysInBetween() throws Exception {
        TopicRecord orders = topic("orders", 2);
        log(orders, 0, 0, 10);
        log(orders, 1, 5, 20);
        offsets.save(orders.topicId(), "shop", 0, new CommittedOffset(3, "w", 1), 0);
        assertThat(figure(orders, "shop", "lag")).isEmpty();

        roundAfter(5);
        offsets.save(orders.topicId(), "shop", 1, new CommittedOffset(9, "w", 1), 0);
        roundAfter(5);
        roundAfter(5);
        roundAfter(5);

        assertThat(figure(orders, "shop", "lag")).containsExactly(6 + 15, 6 + 15, 6 + 15, 6 + 10);
        assertThat(figure(orders, "shop", "committedPerSecond")).endsWith(5 / 15.0);
    }

    @Test
    void whatNobodyAsksForIsForgottenAfterAnHour() throws Exception {
        TopicRecord orders = topic("orders", 1);
        log(orders, 0, 0, 10);
        figure(orders, "messages");
        roundAfter(5);

        roundAfter(Duration.ofHours(1).toSeconds());

        assertThat(figure(orders, "messages")).isEmpty();
    }

    @Test
    void deletedTopicIsForgotten() throws Exception {
        TopicRecord orders = topic("orders", 1);
        figure(orders, "messages");
        assertThat(topics.delete(orders.topicId())).isTrue();

        roundAfter(5);
        roundAfter(5);

        assertThat(figure(orders, "messages")).isEmpty();
    }

    @Test
    void oneUsersOldestMakesRoomForTheirNewest() throws Exception {
        TopicRecord orders = topic("orders", 1);
        log(orders, 0, 0, 10);
        figure(orders, "messages");
        for (int i = 0; i < WatchedHistories.MOST_OF_USER; i++) {
            roundAfter(5);
            figure(orders, "group-" + i, "lag");
        }

        assertThat(figure(orders, "messages")).as("begun again").isEmpty();
    }

    @Test
    void beyondAllBoundsTheNextIsRefused() throws Exception {
        TopicRecord orders = topic("orders", 1);
        for (int i = 0; i < WatchedHistories.MOST; i++) {
            histories.ofGroup("user-" + i, orders, "shop-" + i, List.of("lag"));
        }

        assertThatThrownBy(() -> histories.ofTopic("one more", orders, List.of("bytes")))
                .isInstanceOf(TalosException.class)
                .hasMessageContaining("watched");
    }

    @Test
    void partitionsOfAllAreBounded() throws Exception {
        TopicRecord wide = topic("wide", WatchedHistories.MOST_PARTITIONS);
        TopicRecord orders = topic("orders", 1);
        histories.ofTopic("ann", wide, List.of("bytes"));

        assertThatThrownBy(() -> histories.ofTopic("bob", orders, List.of("bytes")))
                .isInstanceOf(TalosException.class);
    }
}
