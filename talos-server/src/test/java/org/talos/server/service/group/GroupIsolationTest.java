// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.caller;
import static org.talos.server.service.ControlFixture.grantee;
import static org.talos.server.service.ControlFixture.partition;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.CheckRegisterRequest;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOrgOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.TopicsRenewResponse;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;

/** Groups of users who may all get from one topic, by the calls of the SDKs. */
final class GroupIsolationTest {
    private static final Duration LEASE = Duration.ofSeconds(45); // 30 s, written ahead by half
    private static final Caller DAN = user("dan");
    private static final Caller EVE = user("eve");

    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "orders");
        for (String reader : List.of("dan", "eve", "CI7")) {
            server.letGet(ALICE, topic, reader);
        }
        lock(DAN, "w", 0);
        commit(DAN, "w", 0, 7);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Caller user(String name, String... teams) {
        return caller(name, false, Set.of(), Set.of(teams));
    }

    private ConsumeUnit unit(String worker, Integer... partitions) {
        return new ConsumeUnit("shop", topic, List.of(partitions), worker);
    }

    private void lock(Caller caller, String worker, Integer... partitions) throws Exception {
        server.consumers.lockPartition(caller, new LockPartitionRequest(unit(worker, partitions)));
    }

    private boolean commit(Caller caller, String worker, int number, long offset) throws Exception {
        return server.consumers
                .updateOffset(
                        caller,
                        new UpdateOffsetRequest(new CheckPoint("shop", partition(topic, number), offset, worker)))
                .isSuccess();
    }

    private long committed(Caller caller) throws Exception {
        return server.consumers
                .queryOffset(caller, new QueryOffsetRequest("shop", partition(topic, 0)))
                .getMsgOffset();
    }

    private Map<String, List<Integer>> workers(Caller caller) throws Exception {
        return server.consumers
                .queryWorker(caller, new QueryWorkerRequest("shop", topic))
                .getWorkerMap();
    }

    private void delete(Caller caller) throws Exception {
        server.consumers.deleteConsumerGroup(caller, "shop", topic);
    }

    private static void assertDenied(ThrowingCallable call) {
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, call);
    }

    @Test
    void strangerCommitsNothing() throws Exception {
        assertDenied(() -> commit(EVE, "w", 0, 9));
        assertDenied(() -> commit(EVE, "mine", 1, 9));
        server.advance(LEASE);
        assertDenied(() -> commit(EVE, "w", 0, 9));

        assertThat(committed(DAN)).isEqualTo(7);
    }

    @Test
    void strangersHaveNoOffsetsReadButThoseOnTheirTopics() throws Exception {
        server.store.failScans(1, Reason.UNAVAILABLE);

        assertThat(server.consumers
                        .queryOrgOffset(EVE, new QueryOrgOffsetRequest("", "eve"))
                        .getConsumerGroupOffsetMap())
                .isEmpty();
    }

    @Test
    void strangerEndsNoMember() throws Exception {
        assertDenied(() -> server.consumers.leaveGroup(EVE, new LeaveGroupRequest("shop", topic, "w")));
        assertDenied(() -> server.consumers.unlockPartition(EVE, new UnlockPartitionRequest(unit("w", 0))));

        assertThat(workers(DAN)).containsExactly(entry("w", List.of(0)));
    }

    @Test
    void strangerJoinsNoGroupOfAnother() {
        assertDenied(() -> server.consumers.lockWorker(EVE, new LockWorkerRequest(unit("v"))));
        assertDenied(() -> server.consumers.checkRegister(EVE, new CheckRegisterRequest(unit("v"))));
        assertDenied(() -> lock(EVE, "v", 1));
        assertDenied(() -> server.consumers.renew(EVE, new RenewRequest(unit("w", 0))));
        assertDenied(() -> server.severalTopics.lockWorkerForTopics(
                EVE, new TopicsLockWorkerRequest("shop", List.of(topic), "v", "")));
        TopicsConsumeUnit held =
                new TopicsConsumeUnit("shop", Map.of(topic.getTopicTalosResourceName(), List.of(0)), "w", "");
        assertDenied(() -> server.severalTopics.renewForTopics(EVE, new TopicsRenewRequest(held)));
    }

    @Test
    void memberOfSeveralTopicsJoinsNoneIfOneOfTheGroupsIsAnothers() throws Exception {
        TopicTalosResourceName own = server.create(EVE, "own");

        assertDenied(() -> server.severalTopics.lockWorkerForTopics(
                EVE, new TopicsLockWorkerRequest("shop", List.of(own, topic), "v", "")));

        assertThat(server.consumers
                        .queryWorker(EVE, new QueryWorkerRequest("shop", own))
                        .getWorkerMap())
                .isEmpty();
    }

    /** Checks that a member loses only the one topic: it reads the others, and the answer names the lost partitions. */
    @Test
    void memberOfSeveralTopicsGoesOnWithTheOthersWhenItsRightToOneIsGone() throws Exception {
        TopicTalosResourceName own = server.create(DAN, "own");
        Map<String, List<Integer>> held = join(DAN, own);

        server.permissions.revokePermission(ALICE, topic, grantee("dan"));

        TopicsRenewResponse renewed = renew(DAN, held);
        assertThat(renewed.isHeartbeatSuccess()).isTrue();
        assertThat(renewed.getFailedPartitionList()).containsExactly(partition(topic, 0));
        assertThat(workers(DAN, own, topic)).containsExactly(entry("w", List.of(partition(own, 1))));
        assertDenied(() -> renew(DAN, Map.of(topic.getTopicTalosResourceName(), List.of(0))));
        assertDenied(() -> workers(DAN, topic));
    }

    /** Others may read on in its place, so a Go worker has to stop: its heartbeat fails. */
    @Test
    void memberOfSeveralTopicsGoesOnWithTheOthersWhenItsGroupOnOneIsAnothers() throws Exception {
        TopicTalosResourceName own = server.create(EVE, "own");
        grant(DAN, "eve", Right.COMMIT);
        Map<String, List<Integer>> held = join(EVE, own);

        members().grant(access(DAN), "eve", Optional.empty());
        server.advance(Duration.ofSeconds(6)); // this server reads the row again

        TopicsRenewResponse renewed = renew(EVE, held);
        assertThat(renewed.isHeartbeatSuccess()).isFalse();
        assertThat(renewed.isRecorded()).isTrue();
        assertThat(renewed.getFailedPartitionList()).containsExactly(partition(topic, 0));
        assertThat(workers(EVE, own, topic)).containsExactly(entry("w", List.of(partition(own, 1))));
    }

    /** Joins both topics, and holds the second partition of its own and the first of the other. */
    private Map<String, List<Integer>> join(Caller caller, TopicTalosResourceName own) throws Exception {
        server.advance(LEASE);
        server.severalTopics.lockWorkerForTopics(
                caller, new TopicsLockWorkerRequest("shop", List.of(own, topic), "w", ""));
        server.consumers.lockPartition(caller, new LockPartitionRequest(new ConsumeUnit("shop", own, List.of(1), "w")));
        lock(caller, "w", 0);
        return Map.of(own.getTopicTalosResourceName(), List.of(1), topic.getTopicTalosResourceName(), List.of(0));
    }

    private TopicsRenewResponse renew(Caller caller, Map<String, List<Integer>> held) throws Exception {
        return server.severalTopics.renewForTopics(
                caller, new TopicsRenewRequest(new TopicsConsumeUnit("shop", held, "w", "")));
    }

    private Map<String, List<TopicAndPartition>> workers(Caller caller, TopicTalosResourceName... topics)
            throws Exception {
        return server.severalTopics
                .queryWorkerForTopics(caller, new TopicsQueryWorkerRequest("shop", List.of(topics), ""))
                .getWorkerMap();
    }

    @Test
    void strangerSeesNothingOfAGroup() {
        assertDenied(() -> workers(EVE));
        assertDenied(() -> committed(EVE));
        assertDenied(() -> server.consumers.getWorkerId(EVE, new GetWorkerIdRequest(partition(topic, 0), "shop")));
    }

    @Test
    void strangerDeletesNoGroup() throws Exception {
        server.advance(LEASE);

        assertDenied(() -> delete(EVE));
        assertThat(committed(DAN)).isEqualTo(7);
        delete(DAN);
        assertThat(committed(EVE)).isEqualTo(-1);
    }

    /** Only who joined as a member acts as it, whatever else the group's owner may do. */
    @Test
    void memberIsItsUsersAlone() throws Exception {
        grant(ALICE, "eve", Right.COMMIT);
        lock(EVE, "v", 1);

        assertDenied(() -> commit(DAN, "v", 1, 5));
        assertDenied(() -> lock(DAN, "v", 1));
        assertDenied(() -> server.consumers.renew(ALICE, new RenewRequest(unit("v", 1))));
        assertDenied(() -> server.consumers.leaveGroup(DAN, new LeaveGroupRequest("shop", topic, "v")));
        assertThat(commit(EVE, "v", 1, 5)).isTrue();
        server.advance(LEASE);
        lock(DAN, "v", 1);
        assertThat(workers(DAN)).containsExactly(entry("v", List.of(1)));
    }

    @Test
    void grantsAllowWhatTheySayAndNoMore() throws Exception {
        grant(DAN, "eve", Right.READ);
        assertThat(committed(EVE)).isEqualTo(7);
        assertDenied(() -> lock(EVE, "v", 1));

        grant(DAN, "eve", Right.COMMIT);
        lock(EVE, "v", 1);
        assertThat(commit(EVE, "v", 1, 3)).isTrue();
        assertDenied(() -> delete(EVE));
        assertDenied(() -> grant(EVE, "eve", Right.ADMINISTER));

        grant(DAN, "eve", Right.ADMINISTER);
        members().grant(access(EVE), "CI7", Optional.of(Right.READ));
        members().grant(access(EVE), "eve", Optional.empty());
        assertDenied(() -> commit(EVE, "v", 1, 4));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> grant(ALICE, "dan", Right.READ));
    }

    /** They get from the topic by the same right, so they are one to it. */
    @Test
    void thoseOfATeamThatMayGetShareTheirGroups() throws Exception {
        Caller one = user("one", "CI7");
        Caller two = user("two", "CI7", "CI8");
        server.users.put("one", one.principal());
        server.advance(LEASE);
        delete(DAN);
        lock(one, "a", 0);

        lock(two, "b", 1);

        assertThat(workers(two)).containsOnlyKeys("a", "b");
        assertDenied(() -> workers(DAN));
        assertDenied(() -> server.consumers.leaveGroup(two, new LeaveGroupRequest("shop", topic, "a")));
    }

    @Test
    void topicsOwnerAdministersAllItsGroups() throws Exception {
        assertThat(committed(ALICE)).isEqualTo(7);
        server.advance(LEASE);
        delete(ALICE);
    }

    /**
     * As rows were before groups had owners: all its members continue, and it is nobody's as long as they are several.
     */
    @Test
    void groupOfNobodyIsTheFirstUsersWhenAllItsMembersAre() throws Exception {
        write(Map.of(
                "a", new GroupRecord.Worker(server.millis(), ""), "b", new GroupRecord.Worker(server.millis(), "")));
        server.consumers.renew(DAN, new RenewRequest(unit("a", 0)));
        server.consumers.renew(EVE, new RenewRequest(unit("b", 1)));
        server.consumers.renew(DAN, new RenewRequest(unit("a", 0)));
        assertThat(workers(EVE)).containsOnlyKeys("a", "b");
        assertDenied(() -> grant(DAN, "dan", Right.READ));

        server.consumers.leaveGroup(EVE, new LeaveGroupRequest("shop", topic, "b"));
        server.consumers.renew(DAN, new RenewRequest(unit("a", 0)));

        assertDenied(() -> workers(EVE));
    }

    @Test
    void groupThatOnlyCommittedIsTheFirstUsers() throws Exception {
        write(Map.of());
        assertThat(commit(EVE, "v", 0, 8)).isTrue();

        assertDenied(() -> commit(DAN, "w", 0, 9));
    }

    /** The row that names the owner is the one that names the partition's holder. */
    @Test
    void commitReadsTwoRowsAsEver() throws Exception {
        server.store.failReadsAfter(2, 1);

        assertThat(commit(DAN, "w", 0, 8)).isTrue();
    }

    private void write(Map<String, GroupRecord.Worker> workers) throws Exception {
        String id = access(DAN).topic().topicId();
        server.groups.delete(id, "shop");
        if (!workers.isEmpty()) {
            server.groups.save(id, "shop", new GroupRecord("", Map.of(), workers, Map.of()), 0);
        }
    }

    private GroupAccess access(Caller caller) {
        return new GroupAccess(
                server.directory.byName("orders").orElseThrow(), "shop", caller.principal(), user -> Optional.empty());
    }

    private GroupMembers members() {
        return new GroupMembers(server.groupRows(), server.groupOffsets(), 9, server);
    }

    private void grant(Caller caller, String grantee, Right right) throws Exception {
        members().grant(access(caller), grantee, Optional.of(right));
    }
}
