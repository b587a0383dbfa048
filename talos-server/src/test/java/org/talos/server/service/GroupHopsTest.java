// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.auth.Principal;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.log.Block;
import org.talos.server.log.LogFailures;
import org.talos.server.log.Put;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.group.GroupDescription;
import org.talos.server.service.group.GroupFetch;
import org.talos.server.service.group.GroupFetched;
import org.talos.server.service.group.GroupName;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReset;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.ErrorCode;

/** Groups over REST of a topic with four partitions, the last of which another server has, or nobody. */
@Timeout(90)
class GroupHopsTest extends MessageFixture {
    private static final Location THERE =
            new Location.There(new ClusterMember("two", "127.0.0.1:8082", "127.0.0.1:9082"));
    private static final Location NOWHERE = new Location.Nowhere(Duration.ofSeconds(1));

    private GroupOperations groups;
    private String topicId;

    @BeforeEach
    void createWideTopic() throws Exception {
        groups = services.operations().groups();
        topicId = topicId(createTopic("wide", 4));
    }

    @AfterEach
    void giveUp() {
        other.giveUp(LogFailures.notServing());
    }

    private static GroupName name(String group) {
        return new GroupName("wide", group);
    }

    private String join(String group) throws Exception {
        return get(groups.join(context(), name(group), MemberKind.REST, "127.0.0.1", 30_000))
                .id();
    }

    private CompletionStage<GroupFetched> fetch(String group, String member, Map<Integer, Long> commit) {
        return groups.fetch(
                context(), name(group), member, new GroupFetch(commit, Map.of(), 10, 1 << 20, Duration.ZERO, false));
    }

    private List<Integer> committed(String group) throws Exception {
        return get(groups.describe(context(), name(group))).partitions().stream()
                .filter(each -> each.committed().isPresent())
                .map(GroupDescription.PartitionOf::partition)
                .toList();
    }

    /** More of each kind wait for the other server than there are control workers. */
    @Test
    void serverThatHangsStopsNoHeartbeats() throws Exception {
        String alive = join("alive");
        List<String> members = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            members.add(join("group-" + i));
        }
        coordinator.place(3, THERE);
        other.hang();
        GroupReset reset = new GroupReset(new GroupReset.Target.Time(0), Optional.empty(), true, true);

        List<CompletionStage<?>> waiting = new ArrayList<>();
        IntStream.range(0, 40).forEach(i -> {
            GroupName group = name("group-" + i);
            waiting.add(fetch(group.group(), members.get(i), Map.of()));
            waiting.add(fetch(group.group(), members.get(i), Map.of(3, 0L)));
            waiting.add(groups.commit(context(), group, members.get(i), Map.of(3, 0L)));
            waiting.add(groups.describe(context(), group));
            waiting.add(groups.reset(context(), group, reset));
        });

        assertThat(get(groups.heartbeat(context(), name("alive"), alive)).partitions())
                .containsExactly(0, 1, 2, 3);
        assertThat(waiting).noneMatch(each -> each.toCompletableFuture().isDone());
    }

    /** A call about a topic holds its worker while it waits for the topic's servers. */
    @Test
    void topicCallsThatWaitForAServerStopNoHeartbeats() throws Exception {
        String alive = join("alive");
        for (int i = 0; i < 20; i++) {
            var unused = createTopic("topic-" + i, 4);
        }
        coordinator.place(3, THERE);
        other.hang();

        List<CompletionStage<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(send(ServiceName.TOPIC, "describeTopic", new DescribeTopicRequest("topic-" + i), ANN, GO));
        }

        assertThat(get(groups.heartbeat(context(), name("alive"), alive)).partitions())
                .containsExactly(0, 1, 2, 3);
        assertThat(waiting).noneMatch(each -> each.toCompletableFuture().isDone());
    }

    private CompletionStage<GroupFetched> waitingFetch(String member) {
        GroupFetch fetch = new GroupFetch(Map.of(), Map.of(), 10, 1 << 20, Duration.ofSeconds(3), false);
        return groups.fetch(context(), name("shop"), member, fetch);
    }

    /** It looks each two seconds, and its lease is long enough for six. */
    @Test
    void waitingFetchThatHasItsShareReadsNoRow() throws Exception {
        String member = get(groups.join(context(), name("shop"), MemberKind.REST, "127.0.0.1", 12_000))
                .id();
        coordinator.place(3, THERE);
        CompletionStage<GroupFetched> waiting = waitingFetch(member);
        await().until(() -> other.hops().size() >= 2); // the end of the partition there, then the wait for more
        rows.failReads(1_000);

        assertThat(get(waiting).partitions()).containsExactly(0, 1, 2, 3);
    }

    /** The other server may refuse to tell of new messages: the next look finds them. */
    @Test
    void waitingFetchFindsMessagesThatItWasNotToldOf() throws Exception {
        String member = get(groups.join(context(), name("shop"), MemberKind.REST, "127.0.0.1", 6_000))
                .id();
        coordinator.place(3, THERE);
        CompletionStage<GroupFetched> waiting = waitingFetch(member);
        await().until(() -> other.hops().size() >= 2);

        other.puts().add(put("unannounced"));

        assertThat(get(waiting).parts())
                .extracting(GroupFetched.Part::partition)
                .containsExactly(3);
    }

    @Test
    void memberWithoutAPartitionBeginsTheGroupAtTheEndsAlsoIfItOnlyBalances() throws Exception {
        join("shop"); // holds all partitions, and never reads
        String second = join("shop");

        get(groups.balance(context(), name("shop"), second, List.of(), Map.of(), true));

        assertThat(committed("shop")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void partitionWithoutAServerStopsNoCommitOfTheOthers() throws Exception {
        String member = join("shop");
        coordinator.place(3, NOWHERE);

        GroupFetched fetched = get(fetch("shop", member, Map.of(0, 0L, 3, 0L)));

        assertThat(fetched.commit().lost()).isEmpty();
        assertThat(fetched.commit().unserved()).containsExactly(3);
        assertThat(committed("shop")).containsExactly(0);
    }

    /** Otherwise what is put after the answer would be before the group's beginning. */
    @Test
    void groupThatBeginsAtTheEndsDoesNotBeginWhileNoEndIsKnown() throws Exception {
        join("shop");
        String second = join("shop"); // the first one still holds all partitions
        coordinator.place(NOWHERE);
        GroupFetch latest = new GroupFetch(Map.of(), Map.of(), 10, 1 << 20, Duration.ZERO, true);

        assertThatThrownBy(() -> get(groups.fetch(context(), name("shop"), second, latest)))
                .cause()
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING));
        coordinator.place(new Location.Here());
        assertThat(get(groups.fetch(context(), name("shop"), second, latest)).failed())
                .isEmpty();
        assertThat(committed("shop")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void partitionThatCannotBeReadKeepsNothingOfTheOthersBack() throws Exception {
        String member = join("shop");
        coordinator.place(0, THERE);
        coordinator.place(3, THERE);
        other.puts().add(put("here"));
        other.failReads(3, damaged());

        GroupFetched fetched = get(fetch("shop", member, Map.of()));

        assertThat(fetched.parts()).extracting(GroupFetched.Part::partition).containsExactly(0);
        assertThat(fetched.failed()).singleElement().satisfies(each -> {
            assertThat(each.partition()).isEqualTo(3);
            assertThat(each.failure().fault()).contains(Fault.DAMAGED);
        });
    }

    /** Members come and go, and memory is counted for each who ever asked. */
    @Test
    void othersAreAskedInTheNameOfTheUser() throws Exception {
        String member = join("shop");
        coordinator.place(3, THERE);
        other.puts().add(put("here"));
        other.hops().clear();

        get(fetch("shop", member, Map.of(0, 0L)));
        get(groups.commit(context(), name("shop"), member, Map.of(3, 1L)));
        get(groups.describe(context(), name("shop")));
        get(groups.reset(
                context(), name("shop"), new GroupReset(new GroupReset.Target.Time(0), Optional.empty(), true, true)));

        assertThat(other.hops())
                .hasSizeGreaterThan(5)
                .extracting(ForwardContext::caller)
                .containsOnly(ANN.userId());
    }

    /** An org counts as one user, however many users it has. */
    @Test
    void fetchesHoldMemoryAndRoomOfTheUsersOrg() throws Exception {
        Principal ofOrg = new Principal(
                "ann",
                "AKANN",
                false,
                false,
                Set.of("ann", "CL1"),
                new Principal.Memberships(Set.of("CL1"), Set.of()),
                null);
        String member = join("shop");
        coordinator.place(3, THERE);
        other.puts().add(put("here"));
        other.hops().clear();

        GroupFetch fetch = new GroupFetch(Map.of(0, 0L), Map.of(), 10, 1 << 20, Duration.ZERO, false);
        try (GroupFetched fetched = get(groups.fetch(context(ofOrg), name("shop"), member, fetch))) {
            assertThat(fetched.parts()).hasSize(1);
            assertThat(budget.of(ofOrg.turnId()).freeBytes())
                    .isLessThan(budget.of("ann").freeBytes());
        }
        get(groups.commit(context(ofOrg), name("shop"), member, Map.of(3, 1L)));
        get(groups.describe(context(ofOrg), name("shop")));

        assertThat(other.hops())
                .hasSizeGreaterThan(3)
                .extracting(ForwardContext::caller)
                .containsOnly(ofOrg.turnId());
    }

    @Test
    void fetchOfWhichNoPartitionCanBeReadFails() throws Exception {
        String member = join("shop");
        coordinator.place(3, THERE);
        other.puts().add(put("here"));
        other.failReads(3, damaged());

        assertThatThrownBy(() -> get(fetch("shop", member, Map.of())))
                .hasMessageContaining("messages here are damaged");
    }

    @Test
    void fetchThatFailsBehindItsCommitNamesTheDamagedOffsetsToo() throws Exception {
        String member = join("shop");
        coordinator.place(3, THERE);
        other.puts().add(put("here"));
        other.failReads(3, damaged());

        assertThatThrownBy(() -> get(fetch("shop", member, Map.of(3, 0L))))
                .cause()
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.effect()).isEqualTo(Effect.DONE);
                    assertThat(e.damaged()).contains(new TalosException.Offsets(3, 0, 4));
                });
    }

    /** As long as no other partition has anything, the answer would be the same again and again. */
    @Test
    void fetchWaitsThoughAPartitionHasNoServer() throws Exception {
        String member = join("shop");
        coordinator.place(3, NOWHERE);

        GroupFetched fetched = get(fetch("shop", member, Map.of()));

        assertThat(fetched.parts()).isEmpty();
        assertThat(fetched.failed()).extracting(GroupFetched.Failed::partition).containsExactly(3);
    }

    /** The slow member knows ends that are before those at which the group has begun meanwhile. */
    @Test
    void memberThatBeginsAGroupWhileAnotherDoesReadsWhereTheGroupHasBegun() throws Exception {
        GroupFetch fromLatest = new GroupFetch(Map.of(), Map.of(), 10, 1 << 20, Duration.ZERO, true);
        String slow = join("shop");
        coordinator.place(0, THERE);
        other.hang();
        CompletionStage<GroupFetched> late = groups.fetch(context(), name("shop"), slow, fromLatest);
        await().until(() -> !other.hops().isEmpty());
        other.answer();
        other.puts().add(put("before the group"));
        get(groups.fetch(context(), name("shop"), join("shop"), fromLatest));

        other.answerLate();

        assertThat(get(late).failed()).isEmpty();
        assertThat(get(late).parts()).isEmpty();
    }

    /** Checks that a slow server does not hold back messages of the other partitions for the whole request. */
    @Test
    void partitionIsReadFromAnotherServerForHalfALeaseAtMost() throws Exception {
        String member = get(groups.join(context(), name("shop"), MemberKind.REST, "127.0.0.1", 2_000))
                .id();
        coordinator.place(3, THERE);
        other.puts().add(put("here"));

        get(fetch("shop", member, Map.of()));

        assertThat(other.hops().get(other.hops().size() - 1).deadlineNanos() - ticker.nanos())
                .isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
    }

    private static Put put(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        return new Put(text, Put.Origin.UNIQUE, List.of(new Block(1, 0, 0, ByteBuffer.allocate(0), bytes)));
    }

    private static TalosException damaged() {
        TalosException.Offsets offsets = new TalosException.Offsets(3, 0, 4);
        return TalosException.damaged(ErrorCode.HDFS_OPERATION_FAILED, offsets, "messages here are damaged", null);
    }

    @Test
    void commitAloneSaysWhichPartitionsHaveNoServer() throws Exception {
        String member = join("shop");
        coordinator.place(3, NOWHERE);

        assertThat(get(groups.commit(context(), name("shop"), member, Map.of(0, 0L, 3, 0L)))
                        .unserved())
                .containsExactly(3);

        assertThat(committed("shop")).containsExactly(0);
    }

    @Test
    void commitOfPartitionsThatAllHaveNoServerIsRefused() throws Exception {
        String member = join("shop");
        coordinator.place(3, NOWHERE);

        assertThatThrownBy(() -> get(groups.commit(context(), name("shop"), member, Map.of(3, 0L))))
                .hasRootCauseInstanceOf(TalosException.class)
                .hasMessageContaining("partition not serving");
    }

    /** Checks that only the partitions that the answer names are not committed. */
    @Test
    void serverThatAnswersNotInTimeIsOneThatHasNothing() throws Exception {
        String member = join("shop");
        coordinator.place(3, THERE);
        other.hang();
        CompletionStage<GroupFetched> fetched = fetch("shop", member, Map.of(0, 0L, 3, 0L));
        await().until(() -> !other.hops().isEmpty());

        other.giveUp(TalosException.refused(ErrorCode.REQUEST_PROCESS_TIMEOUT, "not in time"));

        assertThat(get(fetched).commit().unserved()).containsExactly(3);
    }

    /** A member cannot renew its lease while a call of it waits. */
    @Test
    void otherServersAreAwaitedForHalfALeaseAtMost() throws Exception {
        String member = get(groups.join(context(), name("shop"), MemberKind.REST, "127.0.0.1", 2_000))
                .id();
        coordinator.place(3, THERE);

        get(fetch("shop", member, Map.of(3, 0L)));

        assertThat(other.hops())
                .hasSize(2)
                .allSatisfy(hop -> assertThat(hop.deadlineNanos() - ticker.nanos())
                        .isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(1)));
    }

    /** Else a member loses all its partitions by the server of one of them. */
    @Test
    void leaseIsExtendedBeforeOtherServersAreAsked() throws Exception {
        String member = join("shop");
        Groups rows = new Groups(metadata);
        long joined = heartbeat(rows, member);
        coordinator.place(3, THERE);
        other.hang();

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            var unused = fetch("shop", member, Map.of(3, 0L));
            assertThat(heartbeat(rows, member)).isGreaterThan(joined);
        });
    }

    private long heartbeat(Groups rows, String member) throws Exception {
        return requireNonNull(rows.find(topicId, "shop")
                        .orElseThrow()
                        .value()
                        .workers()
                        .get(member))
                .heartbeat();
    }
}
