// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.partition;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.metadata.rows.group.LastReset;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.UpdateOffsetRequest;

/** New groups and first commits while the disk has only its reserve: both are rows that nothing removes. */
class GroupDiskFullTest {
    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;
    private TopicRecord record;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "orders");
        record = server.directory.byName("orders").orElseThrow();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void register(String group) throws Exception {
        server.consumers.lockWorker(ALICE, new LockWorkerRequest(new ConsumeUnit(group, topic, List.of(), "w")));
    }

    private boolean commit(String group, int partition, long offset) throws Exception {
        CheckPoint checkpoint = new CheckPoint(group, partition(topic, partition), offset, "w");
        return server.consumers
                .updateOffset(ALICE, new UpdateOffsetRequest(checkpoint))
                .isSuccess();
    }

    private static void assertDiskFull(Effect effect, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.HBASE_OPERATION_FAILED);
                    assertThat(e.effect()).isEqualTo(effect);
                })
                .hasMessageContaining("storage.reserveBytes");
    }

    @Test
    void newGroupIsRefusedWhileTheDiskIsFull() throws Exception {
        register("old");
        server.fillDisk();

        assertDiskFull(Effect.NONE, () -> register("new"));
        assertDiskFull(Effect.NONE, () -> commit("new", 0, 7));
        assertThat(server.groups.list(record.topicId())).containsOnlyKeys("old");
        register("old");

        server.clearDisk();
        register("new");
    }

    @Test
    void firstCommitIsRefusedAndLaterOnesContinue() throws Exception {
        commit("shop", 0, 7);
        server.fillDisk();

        assertThat(commit("shop", 0, 8)).isTrue();
        assertDiskFull(Effect.NONE, () -> commit("shop", 1, 3));
        assertThat(server.offsets.list(record.topicId(), "shop")).containsOnlyKeys(0);

        server.clearDisk();
        assertThat(commit("shop", 1, 3)).isTrue();
    }

    /** Whatever its order: a member that got a further partition commits the others meanwhile. */
    @Test
    void commitOfSeveralPartitionsStoresThoseThatAreNotTheFirst() throws Exception {
        GroupMembers members = new GroupMembers(server.groupRows(), server.groupOffsets(), 10, server);
        GroupAccess group = new GroupAccess(record, "shop", ALICE.principal(), user -> Optional.empty());
        MemberId member = MemberId.create(MemberKind.REST, "test", 10_000);
        members.join(group, member);
        members.commit(group, member, Map.of(1, 5L));
        server.fillDisk();

        assertDiskFull(Effect.UNKNOWN, () -> members.commit(group, member, Map.of(0, 2L, 1, 6L, 2, 2L)));

        assertThat(server.groupOffsets().list(record, "shop")).containsOnlyKeys(1);
        assertThat(server.groupOffsets().find(record, "shop", 1).orElseThrow().offset())
                .isEqualTo(5);
    }

    @Test
    void registrationForSomeOfTheTopicsIsAnsweredAsUnknown() throws Exception {
        TopicTalosResourceName other = server.create(ALICE, "other");
        register("old");
        server.fillDisk();
        TopicsLockWorkerRequest both = new TopicsLockWorkerRequest("old", List.of(topic, other), "v", "");
        TopicsLockWorkerRequest none = new TopicsLockWorkerRequest("old", List.of(other, topic), "x", "");

        assertDiskFull(Effect.UNKNOWN, () -> server.severalTopics.lockWorkerForTopics(ALICE, both));
        assertDiskFull(Effect.NONE, () -> server.severalTopics.lockWorkerForTopics(ALICE, none));

        assertThat(server.groups
                        .find(record.topicId(), "old")
                        .orElseThrow()
                        .value()
                        .workers())
                .containsOnlyKeys("w", "v");
    }

    @Test
    void resetIsNotNoted() {
        LastReset reset = new LastReset("alice", 1, "latest", Map.of(0, 7L));
        server.fillDisk();

        assertDiskFull(Effect.NONE, () -> server.groupOffsets().noteReset(record, "shop", Optional.empty(), reset));
    }
}
