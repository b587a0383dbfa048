// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Records;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.metadata.rows.Topics;

class TopicMemoryTest {
    private static final int TOPICS = 100;
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
    void topicOfAnUnknownIdDoesNotExistWhereAllAreLoaded() throws Exception {
        TopicDirectory loaded = TopicDirectory.load(topics, TopicMemory.of(SMALL_BYTES, false));

        assertThat(loaded.exists(Records.topic("topic", 1).topicId())).isFalse();
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
