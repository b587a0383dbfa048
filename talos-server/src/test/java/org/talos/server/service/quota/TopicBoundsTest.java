// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ADMIN;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.PARTITIONS_PER_USER;
import static org.talos.server.service.ControlFixture.TOPICS_PER_USER;
import static org.talos.server.service.ControlFixture.TOPIC_BYTES_PER_USER;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.grantee;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.cache.TopicMemory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UserQuota;

class TopicBoundsTest {
    private static final int LARGE_CHARACTERS = 4_096;

    @TempDir
    private Path data;

    private ControlFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data.resolve("rows"));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static TopicAttribute partitions(int number) {
        return new TopicAttribute().setPartitionNumber(number);
    }

    private static TopicAttribute attributes(int number) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < number; i++) {
            all.put("key" + i, "v".repeat(LARGE_CHARACTERS));
        }
        return partitions(1).setAttributes(all);
    }

    private void allowTopics(int number) throws Exception {
        UserQuota quota = new UserQuota(new BaseQuota(Long.MAX_VALUE)).setTopicNumberQuota(number);
        fixture.quotaCalls.setUserQuota(ADMIN, "alice", quota);
    }

    private TopicTalosResourceName createMany(Caller caller, int number, TopicAttribute attribute) throws Exception {
        TopicTalosResourceName first = fixture.create(caller, "topic0", attribute);
        for (int i = 1; i < number; i++) {
            fixture.create(caller, "topic" + i, attribute);
        }
        return first;
    }

    @Test
    void userWithoutAQuotaHasABoundOfTopicsAndOthersAreServed() throws Exception {
        TopicTalosResourceName first = createMany(ALICE, TOPICS_PER_USER, partitions(1));

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "beyond", partitions(1)));
        fixture.create(BOB, "bobs", partitions(1));
        fixture.topics.deleteTopic(ALICE, first);
        fixture.create(ALICE, "beyond", partitions(1));
    }

    @Test
    void quotaOfMoreTopicsLiftsTheBoundsOfAllThree() throws Exception {
        allowTopics(2 * TOPICS_PER_USER);
        createMany(ALICE, TOPICS_PER_USER + 1, partitions(2 * PARTITIONS_PER_USER / (TOPICS_PER_USER + 1)));

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "beyond", partitions(256)));
    }

    @Test
    void userHasABoundOfPartitionsAlsoWhenATopicGrows() throws Exception {
        createMany(ALICE, PARTITIONS_PER_USER / 100, partitions(99));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "beyond", partitions(5)));
        TopicTalosResourceName last = fixture.create(ALICE, "last", partitions(4));

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.topics.changeTopicAttribute(ALICE, last, partitions(5)));
        fixture.topics.changeTopicAttribute(ADMIN, last, partitions(5));
    }

    @Test
    void administratorsMayCreateMore() throws Exception {
        createMany(ADMIN, TOPICS_PER_USER + 1, partitions(2 * PARTITIONS_PER_USER / TOPICS_PER_USER));

        assertThat(fixture.directory.all()).hasSize(TOPICS_PER_USER + 1);
    }

    @Test
    void rowsThatGrowByPermissionsCountToo() throws Exception {
        TopicTalosResourceName topic = fixture.create(ALICE, "topic", partitions(1));
        String padding = "u".repeat(120);
        int most = TOPIC_BYTES_PER_USER / (2 * padding.length());

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> {
            for (int i = 0; i <= most; i++) {
                grant(topic, padding + i);
            }
        });
    }

    private void grant(TopicTalosResourceName topic, String user) throws Exception {
        grant(ALICE, topic, user);
    }

    private void grant(Caller caller, TopicTalosResourceName topic, String user) throws Exception {
        fixture.permissions.setPermission(caller, topic, grantee(user), Permission.GET_MESSAGE);
    }

    @Test
    void attributesTogetherHaveABound() throws Exception {
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> fixture.create(ALICE, "large", attributes(8)));
        TopicTalosResourceName topic = fixture.create(ALICE, "large", attributes(7));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS, () -> fixture.topics.changeTopicAttribute(ALICE, topic, attributes(8)));

        assertThat(fixture.views
                        .getTopicAttribute(ALICE, new GetTopicAttributeRequest("large"))
                        .getTopicAttribute()
                        .getAttributes())
                .hasSize(7)
                .containsEntry("key6", "v".repeat(LARGE_CHARACTERS));
        assertThat(fixture.directory.byName("large").orElseThrow().attributes()).isEmpty();
    }

    @Test
    void largeAttributesOfTopicsThatAreThereCountToo() throws Exception {
        int most = TOPIC_BYTES_PER_USER / (2 * 7 * LARGE_CHARACTERS);
        createMany(ALICE, most, attributes(7));
        assertThat(fixture.directory.byName("topic0").orElseThrow().attributes())
                .isEmpty();

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "beyond", attributes(7)));
    }

    @Test
    void longKeyIsRefused() {
        TopicAttribute asked = partitions(1).setAttributes(Map.of("k".repeat(257), "v"));

        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> fixture.create(ALICE, "topic", asked));
    }

    @Test
    void attributesOfBeforeTheBoundStayAndMayBeSentBack() throws Exception {
        TopicTalosResourceName topic = fixture.create(ALICE, "old", partitions(1));
        TopicRecord record = fixture.directory.byName("old").orElseThrow();
        Map<String, String> old = new HashMap<>(attributes(60).getAttributes());
        old.put("k".repeat(4_000), "v");
        var unused = fixture.directory.update(record.topicId(), before -> before.withAttributes(old));

        TopicAttribute whole = fixture.views
                .getTopicAttribute(ALICE, new GetTopicAttributeRequest("old"))
                .getTopicAttribute();
        assertThat(whole.getAttributes()).isEqualTo(old);
        fixture.topics.changeTopicAttribute(ALICE, topic, whole.setPartitionNumber(2));
        assertThat(fixture.directory.byName("old").orElseThrow().partitions()).isEqualTo(2);
    }

    @Test
    void permissionsAreChangeableWhileTheMemoryAllowsNoNewTopic() throws Exception {
        fixture.close();
        fixture = new ControlFixture(data.resolve("small"), false, TopicMemory.of(64 << 10, true));
        TopicTalosResourceName topic = fixture.create(ALICE, "topic", partitions(1));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> createMany(BOB, 1_000, partitions(1)));

        grant(ALICE, topic, "carol");
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.topics.changeTopicAttribute(ADMIN, topic, partitions(2)));

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> {
            for (int i = 0; i < 1_000; i++) {
                grant(ALICE, topic, "user" + i);
            }
        });
        grant(ADMIN, topic, "dave");
        fixture.close();
        fixture = new ControlFixture(data.resolve("small"), false, TopicMemory.of(64 << 10, true));
        assertThat(fixture.directory.notLoaded()).isZero();
    }

    @Test
    void serverRefusesEverybodyBeforeItsMemoryIsFullAndLoadsWhatItLetIn() throws Exception {
        fixture.close();
        fixture = new ControlFixture(data.resolve("small"), false, TopicMemory.of(64 << 10, true));

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> createMany(ADMIN, 1_000, partitions(1)));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(BOB, "bobs", partitions(1)));
        int made = fixture.directory.all().size();
        assertThat(made).isGreaterThan(2);
        fixture.close();
        fixture = new ControlFixture(data.resolve("small"), false, TopicMemory.of(32 << 10, true));
        assertThat(fixture.directory.all()).hasSize(made);
        assertThat(fixture.directory.notLoaded()).isZero();
    }
}
