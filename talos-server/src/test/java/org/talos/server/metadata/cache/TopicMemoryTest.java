// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.boot.MetadataRows;
import org.talos.server.config.Durability;
import org.talos.server.log.time.Retention;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.topic.Records;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.DirectoryOptions;
import org.talos.server.partition.RetentionRounds;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.storage.LogId;

class TopicMemoryTest {
    private static final int TOPICS = 100;
    private static final int TOO_MANY = 250; // and ids of two digits
    private static final long SMALL_BYTES = 64 << 10;

    @TempDir
    private Path directory;

    private RocksDbMetadataStore store;
    private Topics topics;

    @BeforeEach
    void open() throws Exception {
        store = RocksDbMetadataStore.open(directory);
        topics = new Topics(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static TopicRecord large(int number) {
        Map<String, String> attributes = new HashMap<>(Map.of("talos.durability", "fsync"));
        for (int i = 0; i < 60; i++) {
            attributes.put("key" + i, "v".repeat(4_096));
        }
        return Records.topic("topic" + number, number).withAttributes(attributes);
    }

    @Test
    void largeAttributesAreReadWhenTheyAreAskedForAndTakeNoMemory() throws Exception {
        TopicMemory memory = TopicMemory.of(1 << 20, false);
        TopicDirectory created = TopicDirectory.load(topics, memory);
        for (int i = 0; i < TOPICS; i++) {
            assertThat(created.create(large(i))).isTrue();
        }
        assertThat(memory.used()).isLessThan(TOPICS * (3L << 10));

        TopicDirectory loaded = TopicDirectory.load(topics, TopicMemory.of(1 << 20, false));

        assertThat(loaded.all()).hasSize(TOPICS);
        TopicRecord known = loaded.byName("topic7").orElseThrow();
        assertThat(known.attributes()).isEqualTo(Map.of("talos.durability", "fsync"));
        assertThat(loaded.whole(known)).isEqualTo(large(7));
        long version = loaded.version();
        assertThat(loaded.refresh()).isEmpty();
        assertThat(loaded.version()).isEqualTo(version); // nothing has changed
    }

    @Test
    void anotherServerShowsLargeAttributesThatATopicGotOrLostLater() throws Exception {
        TopicDirectory changing = TopicDirectory.load(topics);
        TopicDirectory other = TopicDirectory.load(topics);
        TopicRecord small = large(1).withAttributes(Map.of("talos.durability", "fsync"));
        changing.create(small);
        assertThat(other.refresh()).isEmpty();

        var unused = changing.update(small.topicId(), before -> large(1));
        assertThat(other.refresh()).isEmpty();

        TopicRecord known = other.byName(small.name()).orElseThrow();
        assertThat(known.attributes()).isEqualTo(small.attributes());
        assertThat(other.whole(known)).isEqualTo(large(1));
        assertThat(other.rowBytes(known)).isEqualTo(large(1).memoryBytes());

        var unusedToo = changing.update(small.topicId(), before -> small);
        assertThat(other.refresh()).isEmpty();
        assertThat(other.rowBytes(other.byName(small.name()).orElseThrow())).isEqualTo(small.memoryBytes());
    }

    @Test
    void topicsBeyondTheMemoryAreNotLoadedAndTheirNamesStayTaken() throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            topics.create(Records.topic("topic" + i, i));
        }

        TopicMemory memory = TopicMemory.of(SMALL_BYTES, false);
        TopicDirectory loaded = TopicDirectory.load(topics, memory);

        assertThat(memory.used()).isLessThanOrEqualTo(SMALL_BYTES);
        assertThat(loaded.all()).isNotEmpty().hasSize(TOPICS - loaded.notLoaded());
        assertThat(loaded.refresh()).isEmpty();
        assertThat(loaded.all()).hasSize(TOPICS - loaded.notLoaded());
        assertThat(loaded.byName("topic99")).isEmpty();
        assertThat(loaded.create(Records.topic("topic99", 200))).isFalse();
        assertThat(topics.find("topic99")).isPresent();
    }

    @Test
    void topicThatIsNotLoadedExistsUntilItIsDeleted() throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            topics.create(Records.topic("topic" + i, i));
        }
        TopicRecord last = Records.topic("topic99", 99);
        TopicDirectory loaded = TopicDirectory.load(topics, TopicMemory.of(SMALL_BYTES, false));
        assertThat(loaded.byId(last.topicId())).isEmpty();

        assertThat(loaded.exists(last.topicId())).isTrue();

        assertThat(topics.delete(last)).isTrue();
        assertThat(loaded.exists(last.topicId())).isFalse();
    }

    @Test
    void topicOfAnUnknownIdDoesNotExist() throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            topics.create(Records.topic("topic" + i, i));
        }
        TopicDirectory loaded = TopicDirectory.load(topics, TopicMemory.of(SMALL_BYTES, false));
        assertThat(loaded.notLoaded()).isPositive();

        assertThat(loaded.exists(Records.topic("topic", TOPICS + 1).topicId())).isFalse();
    }

    @Test
    void partitionsOfATopicThatIsNotLoadedAreKeptAsItSays() throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            topics.create(Records.topic("topic" + i, i));
        }
        TopicDirectory loaded = TopicDirectory.load(topics, TopicMemory.of(SMALL_BYTES, false));
        TopicRecord late = large(TOPICS).withRetention(77);
        topics.create(late);
        DirectoryOptions options = new DirectoryOptions(loaded);
        LogId partition = new LogId(late.topicId(), 0);
        long version = loaded.version();

        options.learn(partition);

        assertThat(loaded.byId(late.topicId())).isEmpty();
        assertThat(options.of(partition).durability()).contains(Durability.FSYNC);
        assertThat(loaded.stored())
                .hasSize(TOPICS + 1)
                .filteredOn(topic -> topic.topicId().equals(late.topicId()))
                .singleElement()
                .satisfies(topic -> assertThat(topic.retentionSeconds()).isEqualTo(77));
        assertThat(loaded.version()).isNotEqualTo(version);
        long known = loaded.version();
        assertThat(loaded.refresh()).isEmpty();
        assertThat(loaded.version()).isEqualTo(known);

        topics.delete(late);
        assertThat(loaded.refresh()).isEmpty();
        assertThat(loaded.storedById(late.topicId())).isEmpty();
    }

    private TopicDirectory loadedWithRoomForOne(TopicRecord one, TopicRecord two) throws Exception {
        topics.create(one);
        topics.create(two);
        return TopicDirectory.load(
                topics, TopicMemory.of(TopicMemory.unbounded().bytes(one) * 3 / 2, false));
    }

    /** More than are loaded and known besides. */
    private TopicDirectory loadedOfTooMany() throws Exception {
        for (int i = 0; i < TOO_MANY; i++) {
            topics.create(Records.topic("topic" + (1_000 + i), i));
        }
        return TopicDirectory.load(topics, TopicMemory.of(SMALL_BYTES, false));
    }

    private static TopicRecord leftOut() {
        return Records.topic("topic" + (1_000 + TOO_MANY - 1), TOO_MANY - 1);
    }

    @Test
    void topicsWithoutRoomHaveABoundOfTheirOwn() throws Exception {
        TopicDirectory loaded = loadedOfTooMany();

        assertThat(loaded.isIncomplete()).isTrue();
        assertThat(loaded.notLoaded()).isBetween(80, 128); // of 512 bytes and their names, in 64 KiB
        assertThat(loaded.stored()).hasSizeLessThan(TOO_MANY);
        long version = loaded.version();
        assertThat(loaded.refresh()).isEmpty();
        assertThat(loaded.version()).as("nothing is read again for nothing").isEqualTo(version);
    }

    @Test
    void partitionsOfATopicThatIsLeftOutAreNotOpenedByDefaultOptions() throws Exception {
        DirectoryOptions options = new DirectoryOptions(loadedOfTooMany());

        assertThatThrownBy(() -> options.learn(new LogId(leftOut().topicId(), 0)))
                .isInstanceOf(MetadataException.class)
                .hasMessageContaining("increase the heap");

        options.learn(new LogId(Records.topic("none", TOO_MANY + 1).topicId(), 0));
    }

    @Test
    void topicThatIsLeftOutExistsUntilItIsDeleted() throws Exception {
        TopicDirectory loaded = loadedOfTooMany();
        assertThat(loaded.exists(leftOut().topicId())).isTrue();

        topics.delete(leftOut());

        assertThat(loaded.exists(leftOut().topicId())).isFalse();
    }

    @Test
    void deletionThatStoppedHalfWayIsFinishedForATopicThatIsLeftOut() throws Exception {
        TopicDirectory loaded = loadedOfTooMany();
        topics.delete(leftOut());
        topics.create(leftOut()); // as before the second half: a tombstone and a row

        assertThat(loaded.tombstones()).hasSize(1);

        assertThat(topics.find(leftOut().name())).isEmpty();
    }

    @Test
    void topicThatWasLeftOutIsKnownOnceThereIsRoom() throws Exception {
        TopicDirectory loaded = loadedOfTooMany();
        for (int i = 0; i < 3; i++) { // each refresh loads some of those that were only known
            for (TopicRecord topic : loaded.all()) {
                loaded.delete(topic.topicId());
            }
            assertThat(loaded.refresh()).isEmpty();
        }

        assertThat(loaded.storedById(leftOut().topicId())).isPresent();
    }

    @Test
    void messagesOfTopicsThatAreNotLoadedAreDeletedAsTheySay() throws Exception {
        TopicRecord one = Records.topic("one", 1);
        TopicRecord two = Records.topic("two", 2).withRetention(77);
        TopicDirectory loaded = loadedWithRoomForOne(one, two);
        assertThat(loaded.byId(two.topicId())).isEmpty();
        Map<LogId, Retention> applied = new HashMap<>();

        RetentionRounds.of(
                        loaded,
                        (id, limits) -> {
                            applied.put(id, limits);
                            return Retention.Signs.NONE;
                        },
                        () -> true,
                        new SteadyClock(() -> Instant.EPOCH, () -> 0),
                        () -> 0,
                        0)
                .run();

        assertThat(applied).hasSize(one.partitions() + two.partitions());
        assertThat(applied).containsEntry(new LogId(two.topicId(), 0), new Retention(0, 77_000, 0, true));
    }

    @Test
    void leaderIsGivenTopicsThatAreNotLoaded() throws Exception {
        TopicRecord one = Records.topic("one", 1);
        TopicRecord two = Records.topic("two", 2);
        TopicDirectory loaded = loadedWithRoomForOne(one, two);

        MetadataRows rows = new MetadataRows(topics, loaded, new Partitions(store), Runnable::run);

        assertThat(loaded.all()).hasSize(1);
        assertThat(rows.topics())
                .containsOnly(Map.entry(one.topicId(), one.partitions()), Map.entry(two.topicId(), two.partitions()));
    }

    @Test
    void newTopicsThatFitSinglyButNotTogetherAreCounted() throws Exception {
        TopicRecord one = Records.topic("one", 1);
        TopicMemory memory = TopicMemory.of(TopicMemory.unbounded().bytes(one) * 3 / 2, false);
        TopicDirectory loaded = TopicDirectory.load(topics, memory);
        topics.create(one);
        topics.create(Records.topic("two", 2));

        assertThat(loaded.refresh()).isEmpty();

        assertThat(loaded.all()).hasSize(1);
        assertThat(loaded.notLoaded()).isEqualTo(1);
    }

    @Test
    void topicIsLoadedOnceThereIsRoom() throws Exception {
        TopicRecord one = Records.topic("one", 1);
        TopicRecord two = Records.topic("two", 2);
        TopicDirectory loaded = loadedWithRoomForOne(one, two);
        assertThat(loaded.notLoaded()).isEqualTo(1);

        loaded.delete(loaded.all().iterator().next().topicId());
        assertThat(loaded.refresh()).isEmpty();

        assertThat(loaded.all()).hasSize(1);
        assertThat(loaded.notLoaded()).isZero();
        assertThat(loaded.stored()).hasSize(1);
    }

    @Test
    void deletionThatStoppedHalfWayIsFinishedForATopicThatIsNotLoaded() throws Exception {
        TopicRecord one = Records.topic("one", 1);
        TopicRecord two = Records.topic("two", 2);
        TopicDirectory loaded = loadedWithRoomForOne(one, two);
        assertThat(loaded.byId(two.topicId())).isEmpty();
        topics.delete(two);
        topics.create(two); // as before the second half: a tombstone and a row

        assertThat(loaded.tombstones()).hasSize(1);

        assertThat(topics.find("two")).isEmpty();
        assertThat(loaded.storedById(two.topicId())).isEmpty();
        assertThat(loaded.notLoaded()).isZero();
    }

    @Test
    void memoryOfADeletedTopicIsFree() throws Exception {
        TopicMemory memory = TopicMemory.of(SMALL_BYTES, true);
        TopicDirectory loaded = TopicDirectory.load(topics, memory);
        TopicRecord topic = Records.topic("topic", 1);
        loaded.create(topic);
        var unused = loaded.update(topic.topicId(), before -> before.withRetention(5_000));
        assertThat(memory.used()).isEqualTo(memory.bytes(topic));

        loaded.delete(topic.topicId());

        assertThat(memory.used()).isZero();
    }
}
