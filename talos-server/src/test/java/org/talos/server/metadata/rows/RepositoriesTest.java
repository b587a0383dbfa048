// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.group.PartitionLock;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.Records;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;
import org.talos.server.testing.FailingMetadataStore;

final class RepositoriesTest {
    private static final String ORDERS = Records.topicId(1);
    private static final String OTHER = Records.topicId(2);

    @TempDir
    private Path directory;

    private MetadataStore store;

    @BeforeEach
    void open() throws Exception {
        store = RocksDbMetadataStore.open(directory);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void secondOwnerAtOneEpochLoses() throws Exception {
        Partitions partitions = new Partitions(store);
        PartitionRecord first = new PartitionRecord(1, "a1", 0, List.of());
        long version = partitions.save(ORDERS, 0, first, 0).orElseThrow();

        assertThat(partitions.save(ORDERS, 0, new PartitionRecord(2, "a1", 0, List.of()), version))
                .isPresent();
        assertThat(partitions.save(ORDERS, 0, new PartitionRecord(2, "a1", 0, List.of()), version))
                .isEmpty();
        assertThat(partitions.find(ORDERS, 0).orElseThrow().value().epoch()).isEqualTo(2);
    }

    @Test
    void partitionsOfATopicAreListedByNumber() throws Exception {
        Partitions partitions = new Partitions(store);
        PartitionRecord row = new PartitionRecord(1, "a1", 0, List.of(SegmentRecord.planned(0, 1)));
        for (int partition : new int[] {2, 0, 300}) {
            partitions.save(ORDERS, partition, row, 0);
        }
        partitions.save(OTHER, 1, row, 0);

        assertThat(partitions.list(ORDERS).keySet()).containsExactly(0, 2, 300);
        partitions.delete(ORDERS, 2);
        partitions.delete(ORDERS, 77);
        assertThat(partitions.list(ORDERS).keySet()).containsExactly(0, 300);
    }

    @Test
    void ownerOfADeletedPartitionCannotSaveIt() throws Exception {
        Partitions partitions = new Partitions(store);
        PartitionRecord row = new PartitionRecord(1, "a1", 0, List.of());
        long version = partitions.save(ORDERS, 0, row, 0).orElseThrow();
        partitions.delete(ORDERS, 0);

        assertThat(partitions.save(ORDERS, 0, row, version)).isEmpty();
        assertThat(partitions.find(ORDERS, 0)).isEmpty();
    }

    @Test
    void groupsAreListedByTopic() throws Exception {
        Groups groups = new Groups(store);
        GroupRecord row = new GroupRecord(
                "ada", Map.of(), Map.of("w", new GroupRecord.Worker(1, "ada")), Map.of(3, new PartitionLock("w", 2)));
        groups.save(ORDERS, "spark-1", row, 0);
        groups.save(ORDERS, "web", row, 0);
        groups.save(OTHER, "spark-2", row, 0);

        assertThat(groups.list(ORDERS).keySet()).containsExactlyInAnyOrder("spark-1", "web");
        assertThat(groups.find(ORDERS, "web").orElseThrow().value()).isEqualTo(row);

        groups.delete(ORDERS, "web");
        groups.deleteAll(ORDERS);
        assertThat(groups.list(ORDERS)).isEmpty();
        assertThat(groups.list(OTHER)).hasSize(1);
    }

    /** Without decoding them: a row that nobody can read is no reason to refuse a group, nor one to count. */
    @Test
    void groupsOfAnOwnerAreCountedWhateverElseIsThere() throws Exception {
        Groups groups = new Groups(store);
        Map<String, GroupRecord.Worker> workers = Map.of("w", new GroupRecord.Worker(1, "ada"));
        for (String owner : List.of("ada", "adam", "a", "", "a\"da", "ada")) {
            groups.save(ORDERS, "of-" + UUID.randomUUID(), new GroupRecord(owner, Map.of(), workers, Map.of()), 0);
        }
        groups.save(OTHER, "elsewhere", new GroupRecord("ada", Map.of(), workers, Map.of()), 0);
        RowKey garbage = RowKey.table('g').and(ORDERS).and("garbage");
        assertThat(store.compareAndSet(garbage, 0, "{\"v\":2,\"own".getBytes(StandardCharsets.UTF_8)))
                .isPresent();

        assertThat(groups.count(ORDERS, "ada")).isEqualTo(2);
        assertThat(groups.count(ORDERS, "a\"da")).isEqualTo(1);
        assertThat(groups.count(ORDERS, "nobody")).isZero();
    }

    @Test
    void offsetsGoWithTheirGroupOrTheirTopic() throws Exception {
        Offsets offsets = new Offsets(store);
        CommittedOffset row = new CommittedOffset(41, "w", 1);
        for (int partition = 0; partition < 3; partition++) {
            offsets.save(ORDERS, "a", partition, row, 0);
            offsets.save(ORDERS, "ab", partition, row, 0);
            offsets.save(OTHER, "a", partition, row, 0);
        }

        assertThat(offsets.list(ORDERS, "a").keySet()).containsExactly(0, 1, 2);
        assertThat(offsets.groups(ORDERS)).containsExactly("a", "ab");
        offsets.deleteAll(ORDERS, "a");
        assertThat(offsets.list(ORDERS, "a")).isEmpty();
        assertThat(offsets.list(ORDERS, "ab")).hasSize(3);
        offsets.deleteAll(ORDERS);
        assertThat(offsets.list(ORDERS, "ab")).isEmpty();
        assertThat(offsets.find(OTHER, "a", 2).orElseThrow().value()).isEqualTo(row);
    }

    @Test
    void deletionThatStopsHalfWayDoesNotSayThatNothingHappened() throws Exception {
        FailingMetadataStore failing = new FailingMetadataStore(store);
        Offsets offsets = new Offsets(failing);
        for (int partition = 0; partition < 2; partition++) {
            offsets.save("topic", "group", partition, new CommittedOffset(1, "worker", 1), 0);
        }

        failing.refuseAfter(1);

        assertThatThrownBy(() -> offsets.deleteAll("topic", "group"))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
    }

    @Test
    void offsetThatHasChangedSinceItWasReadIsNotDeletedWithTheOthers() throws Exception {
        FailingMetadataStore failing = new FailingMetadataStore(store);
        Offsets offsets = new Offsets(failing);
        long version = 0;
        for (int partition = 0; partition < 3; partition++) {
            version = offsets.save("topic", "group", partition, new CommittedOffset(1, "worker", 1), 0)
                    .orElseThrow();
        }
        Offsets.Committed read = offsets.committed("topic", "group");
        CommittedOffset later = new CommittedOffset(2, "worker", 1);
        assertThat(offsets.save("topic", "group", 2, later, version)).isPresent();

        failing.refuseAfter(1);
        assertThatThrownBy(() -> offsets.delete(read))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
        assertThat(offsets.delete(read)).isFalse();

        assertThat(offsets.list("topic", "group").keySet()).containsExactly(2);
        assertThat(offsets.find("topic", "group", 2).orElseThrow().value()).isEqualTo(later);
    }

    @Test
    void moreRowsThanAPageAreListed() throws Exception {
        Table<CommittedOffset> table = new Table<>(store, 'z', CommittedOffset.class);
        for (int i = 0; i < 2_000; i++) {
            table.save(table.all().and(i), new CommittedOffset(i, "w", 1), 0);
        }

        assertThat(table.list(table.all())).hasSize(2_000);
        table.deleteAll(table.all());
        assertThat(table.list(table.all())).isEmpty();
    }

    @Test
    void usersAreListed() throws Exception {
        Users users = new Users(store);
        UserRecord ada = new UserRecord("ada", "AK1", "v1:x", false, false, List.of(), List.of(), 1);
        long version = users.save(ada, 0).orElseThrow();

        assertThat(users.list()).containsExactly(new Versioned<>(ada, version));
        assertThat(users.delete("ada", version)).isTrue();
        assertThat(users.list()).isEmpty();
    }

    /** Has something happen before the first row is deleted. Confined: one test. */
    private static final class Interrupted implements MetadataStore {
        private final MetadataStore real;
        private final Runnable first;
        private boolean happened;

        Interrupted(MetadataStore real, Runnable first) {
            this.real = real;
            this.first = first;
        }

        @Override
        public Optional<Row> get(RowKey key) throws MetadataException {
            return real.get(key);
        }

        @Override
        public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
            return real.scan(prefix, limit);
        }

        @Override
        public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
            return real.scanAfter(prefix, after, limit);
        }

        @Override
        public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
            return real.compareAndSet(key, expectedVersion, value);
        }

        @Override
        public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
            if (!happened) {
                happened = true;
                first.run();
            }
            return real.compareAndDelete(key, expectedVersion);
        }

        @Override
        public void close() {}
    }

    @Test
    void topicThatGrowsWhileItIsDeletedLeavesATombstoneThatCountsAllItsPartitions() throws Exception {
        Topics others = new Topics(store);
        TopicRecord topic = Records.topic("orders", 1);
        long version = others.create(topic).orElseThrow();
        TopicRecord grown = topic.withPartitions(topic.partitions() + 5, 7);
        Topics topics = new Topics(new Interrupted(store, () -> {
            try {
                assertThat(others.update(grown, version)).isPresent();
            } catch (MetadataException e) {
                throw new IllegalStateException(e);
            }
        }));

        assertThat(topics.delete(topic)).isTrue();

        assertThat(others.find("orders")).isEmpty();
        assertThat(others.tombstones())
                .containsExactly(new DeletedTopic(topic.topicId(), "orders", topic.partitions() + 5));
    }
}
