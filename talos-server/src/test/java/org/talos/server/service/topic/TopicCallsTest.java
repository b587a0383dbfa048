// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.talos.server.service.ControlFixture.ADMIN;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.grantee;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.partition.serving.PartitionFigures;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.AddSubResourceNameRequest;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.ChangeTopicOwnerInfoRequest;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.DeleteTopicAttributeRequest;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetPermissionRequest;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.MatchTopicsRequest;
import org.talos.thrift.PartitionState;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicOwnerInfo;
import org.talos.thrift.TopicTalosResourceName;

final class TopicCallsTest {
    @TempDir
    private Path data;

    private ControlFixture server;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static TopicAttribute partitions(int number) {
        return new TopicAttribute().setPartitionNumber(number);
    }

    private DescribeTopicResponse describe(String name) throws Exception {
        return server.views.describeTopic(ALICE, name);
    }

    @Test
    void newTopicHasTheDefaultsAndServesAtOnce() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders");

        assertThat(name.getTopicTalosResourceName()).matches("alice#orders#[0-9a-f]{32}");
        assertThat(server.partitions.opened).extracting(topic -> topic.name()).containsExactly("orders");
        DescribeTopicResponse shown = describe("orders");
        assertThat(shown.getTopicAttribute().getPartitionNumber()).isEqualTo(8);
        assertThat(shown.getTopicAttribute().getMessageRetentionSecs()).isEqualTo(86_400);
        assertThat(shown.getAclMap()).containsExactly(entry("alice", 31));
        assertThat(shown.getTopicState().getPartitionStates()).hasSize(8);
        assertThat(shown.getTopicState().getPartitionStates().get(0).getLastestOffset())
                .isEqualTo(-1);
        assertThat(shown.getTopicQuota().getSpaceQuota()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void orgOwnsTheTopicThatIsAskedForInItsName() throws Exception {
        assertThat(server.create(ALICE, "CL1/orders").getTopicTalosResourceName())
                .startsWith("CL1#orders#");
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> server.create(ALICE, "CL2/other"));
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> server.create(ALICE, "XX/other"));
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> server.create(ALICE, "CL1/a/b"));
    }

    @Test
    void wrongRequestsAreRefused() throws Exception {
        server.create(ALICE, "orders");

        assertRefused(ErrorCode.TOPIC_EXIST, () -> server.create(BOB, "orders"));
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> server.create(ALICE, "_x"));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> server.create(ALICE, "x", partitions(0)));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> server.create(ALICE, "x", partitions(257)));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.create(ALICE, "x", new TopicAttribute().setMessageRetentionSecs(3_599)));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.topics.createTopic(
                        ALICE,
                        new CreateTopicRequest("x", partitions(1))
                                .setAclMap(Map.of(grantee("CI2"), Permission.CHANGE_TOPIC))));
        assertThat(server.directory.byName("x")).isEmpty();
    }

    /** Somebody may have put to it already, or repeated the call and got TOPIC_EXIST. */
    @Test
    void topicWhosePartitionsDoNotOpenInTimeStays() throws Exception {
        server.partitions.failure = TalosException.refused(ErrorCode.PARTITION_NOT_SERVING, "no");

        assertThatThrownBy(() -> server.create(ALICE, "orders"))
                .hasMessageContaining("the topic is created")
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL_SERVER_ERROR);
                    assertThat(e.effect()).isEqualTo(Effect.DONE);
                });

        server.runBackground();
        assertThat(server.directory.byName("orders")).isPresent();
        assertThat(server.partitions.deleted).isEmpty();
        server.partitions.failure = null;
        assertRefused(ErrorCode.TOPIC_EXIST, () -> server.create(ALICE, "orders"));
    }

    @Test
    void topicWhoseQuotaIsNotStoredStays() throws Exception {
        server.store.refuseAfter(1); // its row passes
        CreateTopicRequest request =
                new CreateTopicRequest("orders", partitions(1)).setTopicQuota(new BaseQuota().setSpaceQuota(1));

        assertThatThrownBy(() -> server.topics.createTopic(ALICE, request))
                .hasMessageContaining("its quota is not known to be set")
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.effect()).isEqualTo(Effect.DONE));

        server.runBackground();
        assertThat(server.directory.byName("orders")).isPresent();
    }

    @Test
    void deletedTopicIsUnknownAtOnceAndItsDataGoesLater() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders", partitions(3));
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> server.topics.deleteTopic(BOB, name));

        server.topics.deleteTopic(ALICE, name);

        assertRefused(ErrorCode.TOPIC_NOT_EXIST, () -> describe("orders"));
        assertRefused(ErrorCode.TOPIC_NOT_EXIST, () -> server.topics.deleteTopic(ALICE, name));
        assertThat(server.partitions.deleted).isEmpty();
        server.background.forEach(Runnable::run);
        assertThat(server.partitions.deleted)
                .extracting(DeletedTopic::partitions)
                .containsExactly(3);
        assertThat(server.rows.tombstones()).isEmpty();
    }

    @Test
    void deletionCutOffIsResumed() throws Exception {
        server.topics.deleteTopic(ALICE, server.create(ALICE, "orders"));
        server.background.clear();

        server.otherTopicCalls().resumeDeletions();
        server.background.forEach(Runnable::run);

        assertThat(server.partitions.deleted).hasSize(1);
        assertThat(server.rows.tombstones()).isEmpty();
    }

    @Test
    void deletionThatFailsIsTriedAgainUntilItSucceeds() throws Exception {
        server.partitions.failingDeletions = 2;
        server.topics.deleteTopic(ALICE, server.create(ALICE, "orders"));

        server.runBackground();
        assertThat(server.rows.tombstones()).hasSize(1);
        server.topics.resumeDeletions(); // it is under way
        server.runBackground();
        server.runBackground();

        assertThat(server.delays).containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(server.partitions.deleted).hasSize(1);
        assertThat(server.rows.tombstones()).isEmpty();
        assertThat(server.background).isEmpty();
    }

    @Test
    void deletionThatFailsFromItsTombstoneOnIsFinishedInTheBackground() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders", partitions(3));
        server.store.refuseAfter(1); // the tombstone passes, the row's delete does not

        assertThatThrownBy(() -> server.topics.deleteTopic(ALICE, name))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
        server.runBackground();

        assertThat(server.directory.byName("orders")).isEmpty();
        assertThat(server.partitions.deleted).extracting(DeletedTopic::name).containsExactly("orders");
        assertThat(server.rows.tombstones()).isEmpty();
    }

    @Test
    void deletionThatAnotherServerHasLeftIsTakenUpIfItIsStillThereAtTheNextLook() throws Exception {
        server.topics.deleteTopic(ALICE, server.create(ALICE, "orders"));
        server.background.clear(); // that server is gone
        TopicCalls other = server.otherTopicCalls();

        other.adoptDeletions();
        assertThat(server.background).isEmpty();
        other.adoptDeletions();
        server.runBackground();

        assertThat(server.partitions.deleted).hasSize(1);
        assertThat(server.rows.tombstones()).isEmpty();
    }

    @Test
    void sweepsReadNoOtherTombstones() throws Exception {
        for (int i = 0; i < 20; i++) {
            server.topics.deleteTopic(ALICE, server.create(ALICE, "orders-" + i));
        }
        int before = server.store.scannedRows();

        server.background.forEach(Runnable::run);

        assertThat(server.partitions.deleted).hasSize(20);
        assertThat(server.store.scannedRows()).isEqualTo(before);
    }

    @Test
    void topicMayBeSweptByTwoServersAtOnce() throws Exception {
        server.topics.deleteTopic(ALICE, server.create(ALICE, "orders"));
        server.otherTopicCalls().resumeDeletions();

        server.runBackground();

        assertThat(server.background).isEmpty();
        assertThat(server.rows.tombstones()).isEmpty();
    }

    private void change(TopicTalosResourceName name, TopicAttribute attribute) throws Exception {
        server.topics.changeTopicAttribute(ALICE, name, attribute);
    }

    @Test
    void partitionsGrowOnceInAWhileAndNeverShrink() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders", partitions(2));

        change(name, partitions(4));
        assertThat(server.partitions.opened)
                .extracting(topic -> topic.partitions())
                .containsExactly(2, 4);
        assertThat(describe("orders").getTopicAttribute().getOldPartitionNumber())
                .isEqualTo(2);
        assertRefused(ErrorCode.CHANGE_PARTITION_TOO_FAST, () -> change(name, partitions(5)));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> change(name, partitions(3)));
        change(name, partitions(4));
        server.advance(Duration.ofMinutes(5));
        change(name, partitions(5));
        assertThat(describe("orders").getTopicAttribute().getPartitionNumber()).isEqualTo(5);
    }

    @Test
    void serverWhoseClockWasAheadKeepsNobodyFromAddingPartitions() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders", partitions(2));
        server.advance(Duration.ofHours(1));
        change(name, partitions(3));
        server.advance(Duration.ofHours(-1));

        change(name, partitions(4));

        assertRefused(ErrorCode.CHANGE_PARTITION_TOO_FAST, () -> change(name, partitions(5)));
    }

    @Test
    void attributesMergeKeyByKey() throws Exception {
        TopicTalosResourceName name =
                server.create(ALICE, "orders", new TopicAttribute().setAttributes(Map.of("a", "1", "b", "2")));

        change(
                name,
                new TopicAttribute().setAttributes(Map.of("b", "3", "c", "4")).setMessageRetentionSecs(7_200));
        server.topics.deleteTopicAttribute(ALICE, new DeleteTopicAttributeRequest(name, "a"));

        TopicAttribute shown = server.views
                .getTopicAttribute(ALICE, new GetTopicAttributeRequest("orders"))
                .getTopicAttribute();
        assertThat(shown.getAttributes()).containsOnly(entry("b", "3"), entry("c", "4"));
        assertThat(shown.getMessageRetentionSecs()).isEqualTo(7_200);
    }

    @Test
    void ownerInfoAndSubResources() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders");
        server.topics.changeTopicOwnerInfo(
                ALICE, new ChangeTopicOwnerInfoRequest(name, new TopicOwnerInfo().setChargeId("c1")));
        AddSubResourceNameRequest open = new AddSubResourceNameRequest(name, "CL2", "CI2");
        server.topics.addSubResourceName(ALICE, open);

        assertThat(describe("orders").getTopicInfo().getOwnerInfo().getChargeId())
                .isEqualTo("c1");
        assertRefused(ErrorCode.SUB_RESOURCE_NAME_EXIST, () -> server.topics.addSubResourceName(ALICE, open));
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> server.topics.addSubResourceName(BOB, open));
        assertThat(server.views.getDescribeInfo(BOB, "orders").getPartitionNumber())
                .isEqualTo(8);
    }

    /** Rows are kept in memory whole, by every server. */
    @Test
    void whatIsKeptForPeopleHasABound() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders");
        String longest = "x".repeat(1_000);
        TopicOwnerInfo kept = new TopicOwnerInfo().setChargeId(longest).setOwnerName(longest);
        server.topics.changeTopicOwnerInfo(ALICE, new ChangeTopicOwnerInfoRequest(name, kept));

        for (TopicOwnerInfo info : List.of(
                new TopicOwnerInfo().setChargeId(longest + "x"), new TopicOwnerInfo().setOwnerName(longest + "x"))) {
            assertRefused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    () -> server.topics.changeTopicOwnerInfo(ALICE, new ChangeTopicOwnerInfoRequest(name, info)));
        }
        CreateTopicRequest request = new CreateTopicRequest("bills", new TopicAttribute());
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.topics.createTopic(ALICE, request.setOwnerName(longest + "x")));
        assertThat(describe("orders").getTopicInfo().getOwnerInfo()).isEqualTo(kept);
    }

    @Test
    void orgsThatATopicIsOpenToHaveABound() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders");
        for (int org = 0; org < 1_024; org++) {
            server.topics.addSubResourceName(ALICE, new AddSubResourceNameRequest(name, "CL" + org, "CI2"));
        }

        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.topics.addSubResourceName(ALICE, new AddSubResourceNameRequest(name, "CLx", "CI2")));
    }

    @Test
    void permissionsAreGivenReplacedAndTaken() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders");
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> server.views.getDescribeInfo(BOB, "orders"));
        assertThat(server.views.getDescribeInfo(ADMIN, "orders").getPartitionNumber())
                .isEqualTo(8);

        server.letGet(ALICE, name, "CI2");
        assertThat(server.views.getDescribeInfo(BOB, "orders").getTopicTalosResourceName())
                .isEqualTo(name);
        assertThat(server.permissions.listPermission(BOB, name).getPermissions())
                .containsOnly(entry("alice", 31), entry("CI2", 6));
        assertThat(server.permissions
                        .getPermission(ALICE, new GetPermissionRequest(name, grantee("CI9")))
                        .getPermission())
                .isZero();
        assertThat(server.views.getBindTopics(BOB).getTopicInfos()).hasSize(1);
        assertThat(server.views
                        .matchTopics(BOB, new MatchTopicsRequest("ord.*", "CI2"))
                        .getTopics())
                .containsExactly("orders");

        server.permissions.revokePermission(ALICE, name, grantee("CI2"));
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> server.views.getDescribeInfo(BOB, "orders"));
    }

    @Test
    void rightsOfTheOwnerAreNeitherGivenNorTaken() throws Exception {
        TopicTalosResourceName name = server.create(ALICE, "orders");

        for (Permission wrong : List.of(Permission.NONE, Permission.CHANGE_TOPIC, Permission.ADMIN)) {
            assertRefused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    () -> server.permissions.setPermission(ALICE, name, grantee("CI2"), wrong));
        }
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.permissions.revokePermission(ALICE, name, grantee("alice")));
        assertRefused(
                ErrorCode.PERMISSION_DENIED_ERROR,
                () -> server.permissions.revokePermission(BOB, name, grantee("CI2")));
    }

    @Test
    void listsShowWhatTheCallerOwns() throws Exception {
        server.create(ALICE, "b");
        server.create(ALICE, "CL1/a", partitions(1));
        server.partitions.figures.put(0, new PartitionFigures(5, 9, 4, 40, 9, 90));

        assertThat(server.views.listTopics(ALICE).getTopicInfos())
                .extracting(TopicInfo::getTopicName)
                .containsExactly("a", "b");
        assertThat(server.views.listTopics(BOB).getTopicInfos()).isEmpty();
        PartitionState shown = server.views
                .listTopicsInfo(ALICE)
                .getTopicList()
                .get(0)
                .getTopicState()
                .getPartitionStates()
                .get(0);
        assertThat(shown.getStartOffset()).isEqualTo(5);
        assertThat(shown.getLastestOffset()).isEqualTo(8);
        server.partitions.failure = TalosException.refused(ErrorCode.PARTITION_NOT_SERVING, "no");
        assertThat(server.views.listTopicsInfo(ALICE).getTopicList()).hasSize(2);
        assertRefused(ErrorCode.PARTITION_NOT_SERVING, () -> describe("a"));
    }

    @Test
    void patternsThatWouldRunWithoutEndEndOrAreRefused() {
        TopicPattern slow = TopicPattern.parse("(.*)".repeat(60) + "b");
        TopicPattern empty = TopicPattern.parse("(|)".repeat(80) + "b");

        assertThat(slow.matches("a".repeat(80))).isFalse();
        assertThat(empty.matches("a")).isFalse();
        assertThat(empty.matches("b")).isTrue();
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> TopicPattern.parse("(|)".repeat(80) + "(?!)"));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> TopicPattern.parse("(){999999999}"));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> TopicPattern.parse("("));
    }
}
