// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.Records;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.testing.FailingMetadataStore;

final class TopicDirectoryTest {
    private static final TopicRecord ORDERS = Records.topic("orders", 1);

    @TempDir
    private Path directory;

    private FailingMetadataStore store;
    private Topics topics;
    private TopicDirectory topicDirectory;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(directory));
        topics = new Topics(store);
        topicDirectory = TopicDirectory.load(topics);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void newTopicIsFoundAtOnceAndAfterARestart() throws Exception {
        assertThat(topicDirectory.create(ORDERS)).isTrue();

        assertFound(topicDirectory);
        assertFound(TopicDirectory.load(topics));
    }

    private static void assertFound(TopicDirectory found) {
        assertThat(found.byName("orders")).contains(ORDERS);
        assertThat(found.byId(ORDERS.topicId())).contains(ORDERS);
        assertThat(found.byResourceName("CL8888#orders#" + ORDERS.topicId())).contains(ORDERS);
        assertThat(found.all()).containsExactly(ORDERS);
    }

    @Test
    void resourceNameMustFitInAllItsParts() throws Exception {
        topicDirectory.create(ORDERS);

        assertThat(topicDirectory.byResourceName("CL7777#orders#" + ORDERS.topicId()))
                .isEmpty();
        assertThat(topicDirectory.byResourceName(ORDERS.topicId())).isEmpty();
        assertThat(topicDirectory.byResourceName("")).isEmpty();
    }

    @Test
    void rowThatCannotBeReadKeepsItsTopicAndStopsNoOther() throws Exception {
        topicDirectory.create(ORDERS);
        TopicRecord other = Records.topic("other", 2);
        topics.create(other); // by another server
        RowKey key = RowKey.table(Topics.TABLE).and("orders");
        long version = store.get(key).orElseThrow().version();
        store.compareAndSet(key, version, "{\"v\":99}".getBytes(StandardCharsets.UTF_8));
        long before = topicDirectory.version();

        assertThat(topicDirectory.refresh()).containsOnlyKeys("topic orders");

        assertThat(topicDirectory.all()).containsExactlyInAnyOrder(ORDERS, other);
        assertThat(topicDirectory.version()).isGreaterThan(before);
        assertThat(topics.listing().unreadable()).containsOnlyKeys("orders");
        assertThat(topics.listing().topics()).extracting(Versioned::value).containsExactly(other);
        topicDirectory.refreshIfMissing(other.topicId());
    }

    @Test
    void topicThatCannotBeReadAgainStopsNoOther() throws Exception {
        TopicDirectory other = TopicDirectory.load(topics);
        for (int i = 1; i <= 4; i++) {
            topicDirectory.create(Records.topic("topic" + i, i));
        }
        assertThat(other.refresh()).isEmpty();
        topicDirectory.delete(Records.topicId(1));
        topicDirectory.delete(Records.topicId(2));
        topicDirectory.create(Records.topic("late", 5));

        store.failReads(1);
        assertThat(other.refresh()).hasSize(1);

        assertThat(other.all())
                .as("of two removals one failed, nothing else")
                .hasSize(4)
                .contains(Records.topic("topic3", 3), Records.topic("topic4", 4), Records.topic("late", 5));
    }

    @Test
    void takenNameIsRefused() throws Exception {
        topicDirectory.create(ORDERS);

        assertThat(topicDirectory.create(Records.topic("orders", 2))).isFalse();
        assertThat(topicDirectory.byName("orders")).contains(ORDERS);
        assertThat(topicDirectory.byId(Records.topicId(2))).isEmpty();
    }

    @Test
    void topicMadeAgainIsAnotherOne() throws Exception {
        topicDirectory.create(ORDERS);
        topicDirectory.delete(ORDERS.topicId());
        topicDirectory.create(Records.topic("orders", 2));

        assertThat(topicDirectory.byResourceName(ORDERS.resourceName())).isEmpty();
        assertThat(topicDirectory.delete(ORDERS.topicId())).isFalse();
        assertThat(topicDirectory.byName("orders")).contains(Records.topic("orders", 2));
        assertThat(topicDirectory.tombstones()).containsExactly(new DeletedTopic(ORDERS.topicId(), "orders", 8));
    }

    @Test
    void tombstoneCountsPartitionsThatWereTakenAway() throws Exception {
        topicDirectory.create(ORDERS);
        topicDirectory.update(ORDERS.topicId(), topic -> topic.withPartitions(3, 0));
        topicDirectory.delete(ORDERS.topicId());

        assertThat(topics.tombstones()).containsExactly(new DeletedTopic(ORDERS.topicId(), "orders", 8));
        topics.removeTombstone(ORDERS.topicId());
        assertThat(topics.tombstones()).isEmpty();
    }

    @Test
    void concurrentChangesAllCount() throws Exception {
        topicDirectory.create(ORDERS);
        ExecutorService pool = Executors.newFixedThreadPool(4, new NamedThreads("test"));
        List<Future<?>> changes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            changes.add(pool.submit(() ->
                    topicDirectory.update(ORDERS.topicId(), topic -> topic.withPartitions(topic.partitions() + 1, 0))));
        }
        for (Future<?> change : changes) {
            change.get();
        }
        pool.shutdown();

        assertThat(topicDirectory.byName("orders").orElseThrow().partitions()).isEqualTo(48);
        assertThat(topics.find("orders").orElseThrow().value().partitions()).isEqualTo(48);
    }

    @Test
    void changeStartsFromTheRowWhenAnotherServerWasFaster() throws Exception {
        topicDirectory.create(ORDERS);
        Versioned<TopicRecord> row = topics.find("orders").orElseThrow();
        topics.update(ORDERS.withPartitions(20, 0), row.version());

        topicDirectory.update(ORDERS.topicId(), topic -> topic.withPartitions(topic.partitions() + 1, 0));

        assertThat(topicDirectory.byName("orders").orElseThrow().partitions()).isEqualTo(21);
    }

    @Test
    void whatAnotherServerHasDoneIsSeenAfterARefresh() throws Exception {
        TopicRecord kept = Records.topic("kept", 2);
        TopicRecord made = Records.topic("made", 3);
        TopicDirectory other = TopicDirectory.load(topics);
        topicDirectory.create(ORDERS);
        topicDirectory.create(kept);
        assertThat(other.refresh()).isEmpty();
        assertThat(other.all()).containsExactlyInAnyOrder(ORDERS, kept);

        topicDirectory.delete(ORDERS.topicId());
        topicDirectory.update(kept.topicId(), topic -> topic.withPartitions(20, 0));
        topicDirectory.create(made);
        assertThat(other.refresh()).isEmpty();

        assertThat(other.all()).containsExactlyInAnyOrder(kept.withPartitions(20, 0), made);
        assertThat(other.byId(ORDERS.topicId())).isEmpty();
    }

    @Test
    void topicOfAnotherServerIsReadWhenItIsMissing() throws Exception {
        TopicDirectory other = TopicDirectory.load(topics);
        topicDirectory.create(ORDERS);
        assertThat(other.byId(ORDERS.topicId())).isEmpty();

        other.refreshIfMissing(ORDERS.topicId());

        assertThat(other.byId(ORDERS.topicId())).contains(ORDERS);
        TopicRecord next = Records.topic("next", 2);
        topicDirectory.create(next);
        other.refreshIfMissing(ORDERS.topicId());
        assertThat(other.byId(next.topicId())).as("read without need").isEmpty();
        other.refreshIfMissing("no topic's");
        assertThat(other.byId(next.topicId())).contains(next);
    }

    @Test
    void changeThatThrowsLeavesTheTopicAlone() throws Exception {
        topicDirectory.create(ORDERS);

        assertThatThrownBy(() -> topicDirectory.update(ORDERS.topicId(), topic -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThatThrownBy(() -> topicDirectory.update(ORDERS.topicId(), topic -> Records.topic("orders", 2)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(topicDirectory.byName("orders")).contains(ORDERS);
    }

    @Test
    void topicMadeByAFailedWriteIsFoundIfItIsThere() {
        store.failAfter(0, true);

        assertThatThrownBy(() -> topicDirectory.create(ORDERS)).isInstanceOf(MetadataException.class);
        assertThat(topicDirectory.byName("orders")).contains(ORDERS);
    }

    @Test
    void topicNotMadeByAFailedWriteIsNotFound() {
        store.failAfter(0, false);

        assertThatThrownBy(() -> topicDirectory.create(ORDERS)).isInstanceOf(MetadataException.class);
        assertThat(topicDirectory.byName("orders")).isEmpty();
    }

    @Test
    void deleteCutOffBetweenTombstoneAndRowIsFinishedAtTheNextStart() throws Exception {
        topicDirectory.create(ORDERS);
        store.failAfter(1, false); // the tombstone passes, the row's delete does not

        assertThatThrownBy(() -> topicDirectory.delete(ORDERS.topicId())).isInstanceOf(MetadataException.class);

        TopicDirectory restarted = TopicDirectory.load(topics);
        assertThat(restarted.byName("orders")).isEmpty();
        assertThat(topics.find("orders")).isEmpty();
        assertThat(restarted.tombstones()).extracting(DeletedTopic::topicId).containsExactly(ORDERS.topicId());
    }

    @Test
    void topicIsOutOfServiceBeforeItsDataMayBeSwept() throws Exception {
        topicDirectory.create(ORDERS);
        store.failAfter(1, false);
        assertThatThrownBy(() -> topicDirectory.delete(ORDERS.topicId())).isInstanceOf(MetadataException.class);
        assertThat(topicDirectory.byName("orders")).isPresent();

        assertThat(topicDirectory.tombstones()).hasSize(1);

        assertThat(topicDirectory.byName("orders")).isEmpty();
    }

    @Test
    void deleteWhoseTombstoneFailedLeavesTheTopic() throws Exception {
        topicDirectory.create(ORDERS);
        store.failAfter(0, false);

        assertThatThrownBy(() -> topicDirectory.delete(ORDERS.topicId())).isInstanceOf(MetadataException.class);

        assertThat(TopicDirectory.load(topics).byName("orders")).contains(ORDERS);
    }

    @Test
    void fromItsTombstoneOnADeleteThatFailsMayHappen() throws Exception {
        topicDirectory.create(ORDERS);
        store.refuseAfter(1); // the tombstone passes, the row's delete does not

        assertUnknown(() -> topicDirectory.delete(ORDERS.topicId()));

        store.refuseAfter(0); // finds the tombstone
        assertUnknown(() -> topicDirectory.delete(ORDERS.topicId()));
        assertThat(topicDirectory.delete(ORDERS.topicId())).isTrue();
    }

    @Test
    void topicIsGoneThoughItsNameCannotBeReadAgain() throws Exception {
        topicDirectory.create(ORDERS);
        store.failReadsAfter(2, 1); // its row, its tombstone, then the name

        assertThat(topicDirectory.delete(ORDERS.topicId())).isTrue();

        assertThat(topicDirectory.byName("orders")).isEmpty();
        assertThat(topicDirectory.byId(ORDERS.topicId())).isEmpty();
    }

    private static void assertUnknown(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
    }
}
