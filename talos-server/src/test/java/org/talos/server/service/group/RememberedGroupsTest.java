// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.PartitionLock;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;

/** Tests that renewals of idle members cost little, and that remembered rows shorten no lease and give no lock away. */
final class RememberedGroupsTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration HEARTBEAT = Duration.ofSeconds(7);
    private static final int PARTITIONS = 8; // as the fixture's topics have

    @TempDir
    private Path data;

    private ControlFixture fixture;
    private SuspendedClock clock;
    private GroupRows here;
    private GroupRows there; // at another server

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data);
        clock = new SuspendedClock();
        fixture.letGet(ALICE, fixture.create(ALICE, "orders"), "bob");
        here = rows();
        there = rows();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private GroupRows rows() {
        return new GroupRows(
                fixture.directory,
                fixture.groups,
                new GroupRows.Bounds(TTL, 100, 10),
                fixture.room,
                clock,
                new RememberedGroups(
                        () -> clock.millis() * 1_000_000, clock::suspensions, clock::isCompared, TTL, 1 << 20),
                fixture.groupWrites);
    }

    private GroupAccess access(Caller caller) {
        return new GroupAccess(
                fixture.directory.byName("orders").orElseThrow(), "shop", caller.principal(), user -> Optional.empty());
    }

    private void lock(GroupRows server, String worker, Integer... partitions) throws MetadataException {
        var unused = server.renew(access(ALICE), worker, membership -> {
            membership.use(access(ALICE), worker);
            return membership.lock(worker, List.of(partitions));
        });
    }

    /** Renews as the call of the SDKs does. */
    private GroupMembership.Renewed renew(GroupRows server, String worker, Integer... partitions)
            throws MetadataException {
        return new ConsumerCalls(
                        fixture.directory,
                        server,
                        fixture.groupOffsets(),
                        ControlFixture.CONFIG,
                        clock,
                        () -> true,
                        user -> Optional.empty())
                .renew(access(ALICE), worker, List.of(partitions));
    }

    private Versioned<GroupRecord> row() throws MetadataException {
        return fixture.groups.find(access(ALICE).topic().topicId(), "shop").orElseThrow();
    }

    /** Any read or write fails from now on. */
    private void failAll() {
        fixture.store.failReads(1_000);
        fixture.store.refuseAfter(0);
    }

    @Test
    void renewalThatChangesNothingNeitherReadsNorWrites() throws Exception {
        lock(here, "a", 1, 2);
        failAll();
        fixture.advance(Duration.ofSeconds(4));

        GroupMembership.Renewed renewed = renew(here, "a", 2, 1);

        assertThat(renewed.member()).isTrue();
        assertThat(renewed.lost()).isEmpty();
    }

    @Test
    void rowIsReadAgainAfterFiveSeconds() throws Exception {
        lock(here, "a", 1);
        failAll();
        fixture.advance(Duration.ofMillis(5_001));

        assertThatThrownBy(() -> renew(here, "a", 1)).isInstanceOf(MetadataException.class);
    }

    @Test
    void rowIsReadAgainAfterASuspension() throws Exception {
        lock(here, "a", 1);
        failAll();
        clock.suspensions++;

        assertThatThrownBy(() -> renew(here, "a", 1)).isInstanceOf(MetadataException.class);
    }

    @Test
    void rowIsReadWhileTheClocksAreNotCompared() throws Exception {
        lock(here, "a", 1);
        failAll();
        clock.compared = false;

        assertThatThrownBy(() -> renew(here, "a", 1)).isInstanceOf(MetadataException.class);
    }

    @Test
    void workerThatNamesOtherPartitionsIsAnsweredByTheRowAsItIs() throws Exception {
        lock(here, "a", 1);
        lock(there, "a", 2);
        lock(there, "b", 3);

        assertThat(renew(here, "a", 1, 2).lost()).isEmpty();
        assertThat(renew(here, "a", 1, 2, 3).lost()).containsExactly(3);
    }

    /** Each member asks either server, in turn. */
    @Test
    void leaseLastsForItsWholeTimeFromEachRenewal() throws Exception {
        lock(here, "a", 1);
        for (int i = 0; i < 40; i++) {
            fixture.advance(Duration.ofMillis(100L * i));
            assertThat(renew(i % 3 == 0 ? there : here, "a", 1).lost()).isEmpty();
            Instant renewed = clock.instant();

            PartitionLock lock = Objects.requireNonNull(row().value().locks().get(1));
            assertThat(lock.expiresAt())
                    .isGreaterThanOrEqualTo(renewed.plus(TTL).toEpochMilli());
        }
    }

    @Test
    void membersThatAreAliveCostOneWriteForAllOfThem() throws Exception {
        for (int i = 0; i < PARTITIONS; i++) {
            lock(here, "w" + i, i);
            fixture.advance(HEARTBEAT.dividedBy(PARTITIONS));
        }
        List<Long> versions = new ArrayList<>();
        for (int beat = 0; beat < 20; beat++) {
            for (int i = 0; i < PARTITIONS; i++) {
                assertThat(renew(here, "w" + i, i).lost()).isEmpty();
                versions.add(row().version());
                fixture.advance(HEARTBEAT.dividedBy(PARTITIONS));
            }
        }

        assertThat(versions.stream().distinct().count())
                .as("writes in 140 s, in which a lease is written ahead by 15 s")
                .isLessThanOrEqualTo(12);
    }

    @Test
    void memberThatDiesExpiresThoughOthersRenewTheRow() throws Exception {
        lock(here, "dies", 0);
        lock(here, "lives", 1);
        for (int beat = 0; beat < 7; beat++) {
            fixture.advance(HEARTBEAT);
            assertThat(renew(here, "lives", 1).lost()).isEmpty();
        }

        assertThat(there.members(access(ALICE))).containsExactly(entry("lives", List.of(1)));
        assertThat(here.members(access(ALICE))).containsExactly(entry("lives", List.of(1)));
    }

    /** A clock that was an hour ahead is set right. */
    @Test
    void memberThatWasHeardByAWrongClockExpiresAllTheSame() throws Exception {
        fixture.advance(Duration.ofHours(1));
        lock(here, "dies", 0);
        lock(here, "lives", 1);
        fixture.advance(Duration.ofHours(-1));
        for (int beat = 0; beat < 8; beat++) {
            assertThat(renew(here, "lives", 1).lost()).isEmpty();
            fixture.advance(HEARTBEAT);
        }

        assertThat(there.members(access(ALICE))).containsExactly(entry("lives", List.of(1)));
    }

    @Test
    void memberThatLeavesAtAnotherServerIsNotBroughtBack() throws Exception {
        lock(here, "leaves", 0);
        lock(here, "stays", 1);
        fixture.advance(HEARTBEAT);
        assertThat(renew(here, "leaves", 0).lost()).isEmpty();
        var unused = there.change(access(ALICE), membership -> {
            membership.leave("leaves");
            return true;
        });

        fixture.advance(HEARTBEAT.multipliedBy(2));
        assertThat(renew(here, "stays", 1).lost()).isEmpty();

        assertThat(there.members(access(ALICE))).containsExactly(entry("stays", List.of(1)));
    }

    @Test
    void membersAreAtMostASecondOld() throws Exception {
        lock(here, "a", 1);
        lock(there, "b", 2);

        fixture.advance(Duration.ofSeconds(1).plusMillis(1));

        assertThat(here.members(access(ALICE))).containsOnlyKeys("a", "b");
    }

    @Test
    void whoHasLostTheRightIsRefusedWithinFiveSeconds() throws Exception {
        letBobCommit();
        lock(here, "a", 1);
        lockAsBob("b", 2);
        assertThat(here.isRenewed(access(BOB), "b", List.of(2))).isTrue();
        var unused = there.change(access(ALICE), membership -> {
            membership.revoke(access(ALICE), "bob");
            return true;
        });

        fixture.advance(Duration.ofMillis(5_001));

        assertThat(here.isRenewed(access(BOB), "b", List.of(2))).isFalse();
        assertThatThrownBy(() -> lockAsBob("b", 2)).isInstanceOf(TalosException.class);
    }

    @Test
    void memberOfAnotherUserIsNotRenewed() throws Exception {
        letBobCommit();
        lock(here, "a", 1);

        assertThat(here.isRenewed(access(BOB), "a", List.of(1))).isFalse();
        assertThat(here.isRenewed(access(ALICE), "a", List.of(1))).isTrue();
    }

    private GroupMembers members(GroupRows rows) {
        return new GroupMembers(rows, fixture.groupOffsets(), 10, clock);
    }

    private List<Integer> balance(GroupRows rows, MemberId member) throws MetadataException {
        return members(rows)
                .rebalance(access(ALICE), member, partition -> false)
                .partitions();
    }

    private MemberId join(GroupRows rows, long leaseMillis) throws MetadataException {
        MemberId member = MemberId.create(MemberKind.STREAM, "test", leaseMillis);
        var unused = members(rows).join(access(ALICE), member);
        return member;
    }

    @Test
    void memberThatHasItsShareBalancesWithoutARow() throws Exception {
        MemberId first = join(here, 20_000);
        MemberId second = join(here, 10_000);
        List<Integer> firsts = balance(here, first);
        List<Integer> seconds = balance(here, second);
        failAll();
        fixture.advance(Duration.ofSeconds(4));

        assertThat(members(here).isSettled(access(ALICE), first, firsts)).isTrue();
        assertThat(members(here).isSettled(access(ALICE), second, seconds)).isTrue();
        assertThat(firsts).hasSize(PARTITIONS / 2);
        assertThat(seconds).hasSize(PARTITIONS / 2);
    }

    @Test
    void memberWithoutItsShareIsNotSettled() throws Exception {
        MemberId first = join(here, 20_000);
        List<Integer> all = balance(here, first);
        assertThat(members(here).isSettled(access(ALICE), first, all)).isTrue();

        MemberId second = join(here, 20_000);

        assertThat(members(here).isSettled(access(ALICE), first, all)).isFalse();
        assertThat(members(here).isSettled(access(ALICE), second, List.of())).isFalse();
        assertThat(balance(here, first)).hasSize(PARTITIONS / 2);
    }

    @Test
    void memberThatKnowsOtherPartitionsThanItHoldsIsNotSettled() throws Exception {
        MemberId member = join(here, 20_000);
        assertThat(balance(here, member)).hasSize(PARTITIONS);

        assertThat(members(here).isSettled(access(ALICE), member, List.of())).isFalse();
    }

    @Test
    void settledMemberKeepsItsLeaseWithTheNextWriteOfTheRow() throws Exception {
        MemberId settles = join(here, 30_000);
        MemberId other = join(here, 30_000);
        List<Integer> held = balance(here, settles);
        List<Integer> others = balance(here, other);
        int settled = 0;
        for (int round = 0; round < 30; round++) {
            fixture.advance(Duration.ofMillis(2_500));
            if (members(here).isSettled(access(ALICE), settles, held)) {
                settled++;
            } else {
                assertThat(balance(here, settles)).isEqualTo(held);
            }
            fixture.advance(Duration.ofMillis(2_500));
            assertThat(balance(here, other)).isEqualTo(others);
            long ends = Objects.requireNonNull(row().value().workers().get(settles.text()))
                            .heartbeat()
                    + TTL.toMillis();
            assertThat(ends).isGreaterThanOrEqualTo(clock.millis() + settles.leaseMillis() - 2_500);
        }
        assertThat(settled).as("rounds without a read").isGreaterThan(20);
    }

    private void letBobCommit() throws MetadataException {
        var unused = here.change(access(ALICE), membership -> {
            membership.grant(access(ALICE), "bob", Right.COMMIT);
            return true;
        });
    }

    private void lockAsBob(String worker, Integer partition) throws MetadataException {
        var unused = here.renew(access(BOB), worker, membership -> {
            membership.use(access(BOB), worker);
            return membership.lock(worker, List.of(partition));
        });
    }

    /** The fixture's clock, on a machine that may have been suspended. */
    private final class SuspendedClock implements ClusterClock {
        private boolean compared = true;
        private long suspensions;

        @Override
        public Instant instant() {
            return fixture.instant();
        }

        @Override
        public boolean isSure() {
            return compared;
        }

        @Override
        public boolean isCompared() {
            return compared;
        }

        @Override
        public long suspensions() {
            return suspensions;
        }
    }
}
