// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.partition;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.CheckRegisterRequest;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOffsetResponse;
import org.talos.thrift.QueryOrgOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.RenewResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.TopicsRenewResponse;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

final class ConsumerCallsTest {
    private static final Duration LEASE = Duration.ofSeconds(45); // 30 s, written ahead by half

    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "CL1/orders");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ConsumeUnit unit(String worker, Integer... partitions) {
        return new ConsumeUnit("group", topic, List.of(partitions), worker);
    }

    private void register(String worker) throws Exception {
        server.consumers.lockWorker(ALICE, new LockWorkerRequest(unit(worker)));
    }

    private LockPartitionResponse lock(String worker, Integer... partitions) throws Exception {
        return server.consumers.lockPartition(ALICE, new LockPartitionRequest(unit(worker, partitions)));
    }

    private RenewResponse renew(String worker, Integer... partitions) throws Exception {
        return server.consumers.renew(ALICE, new RenewRequest(unit(worker, partitions)));
    }

    private Map<String, List<Integer>> workers() throws Exception {
        return server.consumers
                .queryWorker(ALICE, new QueryWorkerRequest("group", topic))
                .getWorkerMap();
    }

    private CheckPoint checkpoint(String worker, int number, long offset) {
        return new CheckPoint("group", partition(topic, number), offset, worker);
    }

    private boolean commit(CheckPoint checkpoint) throws Exception {
        return answer(checkpoint).isSuccess();
    }

    private UpdateOffsetResponse answer(CheckPoint checkpoint) throws Exception {
        return server.consumers.updateOffset(ALICE, new UpdateOffsetRequest(checkpoint));
    }

    private QueryOffsetResponse stored(int number) throws Exception {
        return server.consumers.queryOffset(ALICE, new QueryOffsetRequest("group", partition(topic, number)));
    }

    private long committed(int number) throws Exception {
        return stored(number).getMsgOffset();
    }

    @Test
    void workersShareATopicAndSeeEachOther() throws Exception {
        register("a");
        assertThat(workers()).containsExactly(entry("a", List.of()));
        register("b");
        lock("a", 0, 1);
        LockPartitionResponse second = lock("b", 1, 2);

        assertThat(second.getSuccessPartitions()).containsExactly(2);
        assertThat(second.getFailedPartitions()).containsExactly(1);
        assertThat(workers()).containsOnly(entry("a", List.of(0, 1)), entry("b", List.of(2)));
        assertThat(server.consumers
                        .getWorkerId(ALICE, new GetWorkerIdRequest(partition(topic, 2), "group"))
                        .getWorkerId())
                .isEqualTo("b");
        server.consumers.unlockPartition(ALICE, new UnlockPartitionRequest(unit("b", 1, 2)).setStaysMember(true));
        assertThat(workers()).containsOnly(entry("a", List.of(0, 1)), entry("b", List.of()));
        assertRefused(
                ErrorCode.CONSUMER_NOT_EXIST,
                () -> server.consumers.getWorkerId(ALICE, new GetWorkerIdRequest(partition(topic, 2), "group")));
    }

    @Test
    void crashedWorkerIsReplacedAndLosesWhatItRenews() throws Exception {
        register("a");
        lock("a", 0);
        server.advance(LEASE);

        assertThat(lock("b", 0).getSuccessPartitions()).containsExactly(0);
        RenewResponse late = renew("a", 0, 1);
        assertThat(late.isHeartbeatSuccess()).isTrue();
        assertThat(late.getFailedPartitionList()).containsExactly(0);
        assertThat(workers()).containsOnly(entry("a", List.of(1)), entry("b", List.of(0)));
    }

    @Test
    void fullGroupRefusesByException() throws Exception {
        for (String worker : List.of("a", "b", "c")) {
            register(worker);
        }

        assertRefused(ErrorCode.TOO_MANY_CONSUMER, () -> register("d"));
        assertThat(server.consumers
                        .checkRegister(ALICE, new CheckRegisterRequest(unit("d")))
                        .isCanRegister())
                .isFalse();
        register("a");
    }

    @Test
    void offsetsAreCommittedByTheHolderOrWhenNobodyHolds() throws Exception {
        assertThat(committed(0)).isEqualTo(-1);
        assertThat(commit(checkpoint("a", 0, 10))).isTrue();
        lock("b", 0);

        assertThat(commit(checkpoint("a", 0, 11))).isFalse();
        assertThat(commit(checkpoint("b", 0, 5))).isTrue();
        assertThat(commit(checkpoint("b", 0, -1))).isFalse();
        assertThat(committed(0)).isEqualTo(5);
    }

    @Test
    void oldCommitThatComesWhenItsWorkerIsGoneDoesNotGoBack() throws Exception {
        register("a");
        lock("a", 0);
        assertThat(commit(checkpoint("a", 0, 10))).isTrue();
        assertThat(commit(checkpoint("a", 0, 20))).isTrue();
        server.advance(LEASE);

        assertThat(commit(checkpoint("a", 0, 10))).isFalse();
        assertThat(commit(checkpoint("a", 0, 20))).isTrue();
        assertThat(committed(0)).isEqualTo(20);
    }

    @Test
    void oldCommitOfTheHolderDoesNotGoBackBehindItsOwn() throws Exception {
        lock("a", 0);
        assertThat(commit(checkpoint("a", 0, 20))).isTrue();

        assertThat(commit(checkpoint("a", 0, 10))).isFalse();
        assertThat(commit(checkpoint("a", 0, 20))).isTrue();
        assertThat(committed(0)).isEqualTo(20);
    }

    /**
     * Checks that a commit that names the offset it goes back from is not taken for an old one that was long on its
     * way.
     */
    @Test
    void holderGoesBackBehindItsOwnCommitIfItNamesThat() throws Exception {
        lock("a", 0);
        assertThat(commit(checkpoint("a", 0, 20))).isTrue();

        assertThat(commit(checkpoint("a", 0, 10).setLastCommitOffset(20))).isTrue();
        assertThat(committed(0)).isEqualTo(10);
        assertThat(commit(checkpoint("a", 0, -1).setLastCommitOffset(10))).isTrue();
        assertThat(committed(0)).isEqualTo(-1);
        assertThat(commit(checkpoint("a", 0, 30))).isTrue();
    }

    @Test
    void whoDoesNotHoldTheLockGoesNowhereBack() throws Exception {
        lock("a", 0);
        assertThat(commit(checkpoint("a", 0, 20))).isTrue();

        UpdateOffsetResponse foreign = answer(checkpoint("b", 0, 10).setLastCommitOffset(20));
        assertThat(foreign.isSuccess()).isFalse();
        assertThat(foreign.isLockLost()).isTrue();
        server.advance(LEASE);
        assertThat(answer(checkpoint("b", 0, 10).setLastCommitOffset(20)).isLockLost())
                .isTrue();
        assertThat(committed(0)).isEqualTo(20);
    }

    @Test
    void refusedCommitSaysWhetherTheLockIsLost() throws Exception {
        lock("a", 0);
        assertThat(answer(checkpoint("a", 0, 20)).isSetLockLost()).isFalse();

        UpdateOffsetResponse behind = answer(checkpoint("a", 0, 10));
        assertThat(behind.isSetLockLost()).isTrue();
        assertThat(behind.isLockLost()).isFalse();
        assertThat(answer(checkpoint("a", 0, 30).setLastCommitOffset(19)).isLockLost())
                .isFalse();
        assertThat(answer(checkpoint("b", 0, 30)).isLockLost()).isTrue();
    }

    /** It was long on its way, and the worker has the partition again in which another has committed since. */
    @Test
    void commitThatIsOnlyForwardGoesBackBehindNobody() throws Exception {
        lock("b", 0);
        assertThat(commit(checkpoint("b", 0, 25))).isTrue();
        server.consumers.unlockPartition(ALICE, new UnlockPartitionRequest(unit("b", 0)));
        lock("a", 0);

        UpdateOffsetResponse old = answer(checkpoint("a", 0, 20).setOnlyForward(true));

        assertThat(old.isSuccess()).isFalse();
        assertThat(old.isLockLost()).isFalse();
        assertThat(committed(0)).isEqualTo(25);
    }

    @Test
    void groupThatWasResetToTheFirstMessageIsNotOneThatNeverCommitted() throws Exception {
        assertThat(stored(0).isCommitted()).isFalse();
        commit(checkpoint("a", 0, 7));
        assertThat(stored(0).isSetCommitted()).as("as the SDKs know it").isFalse();
        lock("a", 0);
        commit(checkpoint("a", 0, -1).setLastCommitOffset(7));

        assertThat(stored(0).getMsgOffset()).isEqualTo(-1);
        assertThat(stored(0).isCommitted()).isTrue();
    }

    @Test
    void renewalsAreHeldToTheGroupsBound() throws Exception {
        for (String worker : List.of("a", "b", "c")) {
            register(worker);
        }

        RenewResponse refused = renew("d", 1);

        assertThat(refused.isHeartbeatSuccess()).isFalse();
        assertThat(refused.getFailedPartitionList()).containsExactly(1);
        assertRefused(ErrorCode.TOO_MANY_CONSUMER, () -> lock("d", 1));
        assertThat(workers()).containsOnlyKeys("a", "b", "c");
        assertThat(renew("a", 1).isHeartbeatSuccess()).isTrue();
    }

    @Test
    void renewalOfSeveralTopicsIsHeldToTheBoundToo() throws Exception {
        for (String worker : List.of("a", "b", "c")) {
            register(worker);
        }
        Map<String, List<Integer>> held = Map.of(topic.getTopicTalosResourceName(), List.of(2));

        TopicsRenewResponse refused = server.severalTopics.renewForTopics(
                ALICE, new TopicsRenewRequest(new TopicsConsumeUnit("group", held, "d", "")));

        assertThat(refused.isHeartbeatSuccess()).isFalse();
        assertThat(refused.getFailedPartitionList()).containsExactly(partition(topic, 2));
        assertThat(workers()).containsOnlyKeys("a", "b", "c");
    }

    @Test
    void workerThatLeavesIsGoneAtOnceWithItsLocks() throws Exception {
        register("a");
        lock("a", 0, 1);
        lock("b", 2);

        server.consumers.leaveGroup(ALICE, new LeaveGroupRequest("group", topic, "a"));
        server.consumers.leaveGroup(ALICE, new LeaveGroupRequest("group", topic, "a"));

        assertThat(workers()).containsOnly(entry("b", List.of(2)));
        assertRefused(
                ErrorCode.PERMISSION_DENIED_ERROR,
                () -> server.consumers.leaveGroup(BOB, new LeaveGroupRequest("group", topic, "b")));
    }

    @Test
    void listLongerThanAnyTopicIsRefused() throws Exception {
        Integer[] many = new Integer[10_000];
        Arrays.fill(many, 0);

        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> renew("a", many));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> lock("a", many));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.consumers.unlockPartition(ALICE, new UnlockPartitionRequest(unit("a", many))));
        Map<String, List<Integer>> held = Map.of(topic.getTopicTalosResourceName(), List.of(many));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.severalTopics.renewForTopics(
                        ALICE, new TopicsRenewRequest(new TopicsConsumeUnit("group", held, "a", ""))));
        assertThat(workers()).isEmpty();
    }

    @Test
    void serverThatIsCutOffTakesNoCommit() throws Exception {
        server.connected = false;

        assertRefused(ErrorCode.PARTITION_NOT_SERVING, () -> commit(checkpoint("a", 0, 10)));

        server.connected = true;
        assertThat(committed(0)).isEqualTo(-1);
    }

    @Test
    void commitThatNamesTheLastOneMustBeRight() throws Exception {
        assertThat(commit(checkpoint("a", 0, 1).setLastCommitOffset(0))).isFalse();
        assertThat(commit(checkpoint("a", 0, 1).setLastCommitOffset(-1))).isTrue();
        assertThat(commit(checkpoint("a", 0, 2).setLastCommitOffset(1))).isTrue();
        assertThat(commit(checkpoint("a", 0, 3).setLastCommitOffset(1))).isFalse();
        assertThat(committed(0)).isEqualTo(2);
    }

    @Test
    void wrongRequestsAreRefused() {
        assertRefused(
                ErrorCode.PERMISSION_DENIED_ERROR,
                () -> server.consumers.lockWorker(BOB, new LockWorkerRequest(unit("a"))));
        assertRefused(ErrorCode.PARTITION_NOT_EXIST, () -> lock("a", 8));
        assertRefused(ErrorCode.PARTITION_NOT_EXIST, () -> committed(8));
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> register(" "));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> server.consumers.queryWorker(ALICE, new QueryWorkerRequest("_g", topic)));
    }

    @Test
    void topicMadeAgainStartsWithoutOffsets() throws Exception {
        commit(checkpoint("a", 0, 7));
        lock("a", 0);
        server.topics.deleteTopic(ALICE, topic);
        server.background.forEach(Runnable::run);
        assertRefused(ErrorCode.TOPIC_NOT_EXIST, () -> committed(0));
        String oldId = topic.getTopicTalosResourceName().split("#")[2];
        assertThat(server.offsets.list(oldId, "group")).isEmpty();
        assertThat(server.groups.list(oldId)).isEmpty();

        topic = server.create(ALICE, "CL1/orders");

        assertThat(committed(0)).isEqualTo(-1);
        assertThat(workers()).isEmpty();
    }

    @Test
    void groupIsDeletedOnceNobodyWorks() throws Exception {
        assertRefused(ErrorCode.CONSUMER_NOT_EXIST, () -> server.consumers.deleteConsumerGroup(ALICE, "group", topic));
        register("a");
        commit(checkpoint("a", 0, 7));
        assertRefused(
                ErrorCode.CONSUMER_GROUP_STILL_WORKING,
                () -> server.consumers.deleteConsumerGroup(ALICE, "group", topic));
        server.advance(LEASE);

        server.consumers.deleteConsumerGroup(ALICE, "group", topic);

        assertThat(committed(0)).isEqualTo(-1);
        assertThat(server.groups.list(topic.getTopicTalosResourceName().split("#")[2]))
                .isEmpty();
    }

    /** The first write of the deletion is the group's row, without the worker that has expired. */
    @Test
    void workerThatRegistersDuringADeletionKeepsWhatItCommits() throws Exception {
        register("a");
        commit(checkpoint("a", 0, 7));
        server.advance(LEASE);
        server.store.beforeWrite(1, () -> {
            try {
                register("b");
                assertThat(commit(checkpoint("b", 0, 9))).isTrue();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        assertThatThrownBy(() -> server.consumers.deleteConsumerGroup(ALICE, "group", topic))
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.CONSUMER_GROUP_STILL_WORKING);
                    assertThat(e.effect()).isEqualTo(Effect.UNKNOWN);
                });
        assertThat(committed(0)).isEqualTo(9);
    }

    /** Its commit is of the group that is deleted: nobody works any more. */
    @Test
    void commitOfNobodyDuringADeletionIsDeletedToo() throws Exception {
        register("a");
        commit(checkpoint("a", 0, 7));
        server.advance(LEASE);
        server.store.beforeWrite(1, () -> {
            try {
                assertThat(commit(checkpoint("a", 0, 9))).isTrue();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        server.consumers.deleteConsumerGroup(ALICE, "group", topic);

        assertThat(committed(0)).isEqualTo(-1);
    }

    @Test
    void orgSeesTheOffsetsOnItsTopics() throws Exception {
        commit(checkpoint("a", 3, 7));

        assertThat(server.consumers
                        .queryOrgOffset(ALICE, new QueryOrgOffsetRequest("gr", "CL1"))
                        .getConsumerGroupOffsetMap())
                .hasSize(1)
                .containsValue(7L);
        assertRefused(
                ErrorCode.PERMISSION_DENIED_ERROR,
                () -> server.consumers.queryOrgOffset(BOB, new QueryOrgOffsetRequest("gr", "CL1")));
    }

    @Test
    void severalTopicsAreReadTogetherAlsoAfterOneIsDeleted() throws Exception {
        TopicTalosResourceName other = server.create(ALICE, "other");
        server.severalTopics.lockWorkerForTopics(
                ALICE, new TopicsLockWorkerRequest("group", List.of(topic, other), "a", ""));
        lock("a", 2);
        TopicsQueryWorkerRequest query = new TopicsQueryWorkerRequest("group", List.of(topic, other), "");
        assertThat(server.severalTopics.queryWorkerForTopics(ALICE, query).getWorkerMap())
                .containsExactly(entry("a", List.of(partition(topic, 2))));
        server.topics.deleteTopic(ALICE, other);

        Map<String, List<Integer>> held =
                Map.of(topic.getTopicTalosResourceName(), List.of(2), other.getTopicTalosResourceName(), List.of(1));
        assertThat(server.severalTopics
                        .renewForTopics(ALICE, new TopicsRenewRequest(new TopicsConsumeUnit("group", held, "a", "")))
                        .getFailedPartitionList())
                .containsExactly(partition(other, 1));
        assertThat(server.severalTopics.queryWorkerForTopics(ALICE, query).getWorkerMap())
                .containsOnlyKeys("a");
    }

    /** The Go SDK ignores the list of lost partitions and continues to read; only a failed heartbeat stops it. */
    @Test
    void heartbeatOfSeveralTopicsFailsIfAnotherHoldsOneOfItsPartitions() throws Exception {
        lock("a", 0);
        lock("b", 1);

        TopicsRenewResponse renewed = renewForTopics("a", 0, 1, 99);

        assertThat(renewed.isHeartbeatSuccess()).isFalse();
        assertThat(renewed.isRecorded()).isTrue();
        assertThat(renewed.getFailedPartitionList()).containsExactly(partition(topic, 1), partition(topic, 99));
        assertThat(workers()).containsOnly(entry("a", List.of(0)), entry("b", List.of(1)));
        TopicsRenewResponse without = renewForTopics("a", 0, 99); // what is gone, nobody else reads
        assertThat(without.isHeartbeatSuccess()).isTrue();
        assertThat(without.isSetRecorded()).isFalse();
    }

    private TopicsRenewResponse renewForTopics(String worker, Integer... partitions) throws Exception {
        Map<String, List<Integer>> held = Map.of(topic.getTopicTalosResourceName(), List.of(partitions));
        return server.severalTopics.renewForTopics(
                ALICE, new TopicsRenewRequest(new TopicsConsumeUnit("group", held, worker, "")));
    }

    /** It holds nothing of the other topic, so nothing that it releases there says that it has ended. */
    @Test
    void workerOfSeveralTopicsThatReleasesItsLastPartitionIsCountedInNone() throws Exception {
        TopicTalosResourceName other = server.create(ALICE, "other");
        List<TopicTalosResourceName> both = List.of(topic, other);
        for (String worker : List.of("a", "b")) {
            server.severalTopics.lockWorkerForTopics(ALICE, new TopicsLockWorkerRequest("group", both, worker, ""));
        }
        lock("a", 0);
        TopicsQueryWorkerRequest query = new TopicsQueryWorkerRequest("group", both, "");
        assertThat(server.severalTopics.queryWorkerForTopics(ALICE, query).getWorkerMap())
                .containsOnlyKeys("a", "b");

        server.consumers.unlockPartition(ALICE, new UnlockPartitionRequest(unit("a", 0)));

        assertThat(server.severalTopics.queryWorkerForTopics(ALICE, query).getWorkerMap())
                .containsOnlyKeys("b");
    }

    @Test
    void ofThreeWhoLockAtOnceEachPartitionGoesToOne() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8, new NamedThreads("test"));
        List<Future<LockPartitionResponse>> answers = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String worker = "w" + i % 3;
            int number = i / 3;
            answers.add(pool.submit(() -> lock(worker, number)));
        }
        int winners = 0;
        for (Future<LockPartitionResponse> answer : answers) {
            winners += answer.get().getSuccessPartitionsSize();
        }
        pool.shutdown();

        assertThat(winners).isEqualTo(8);
    }
}
