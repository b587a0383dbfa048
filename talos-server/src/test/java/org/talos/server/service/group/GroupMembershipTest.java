// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.PartitionLock;

final class GroupMembershipTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    /** A lease is written ahead by half of it. */
    private static final long END = TTL.toMillis() * 3 / 2;

    private GroupRecord stored = GroupRecord.NOBODY;
    private long now = 1_000_000;
    private boolean sure = true;

    private GroupMembership open() {
        return new GroupMembership(stored, now, TTL, () -> sure);
    }

    private void store(GroupMembership membership) {
        stored = membership.toRecord();
    }

    private GroupMembership.Locked lock(String worker, Integer... partitions) {
        GroupMembership membership = open();
        GroupMembership.Locked locked = membership.lock(worker, List.of(partitions));
        store(membership);
        return locked;
    }

    private List<Integer> renew(String worker, Integer... partitions) {
        GroupMembership membership = open();
        List<Integer> lost = membership.renew(worker, List.of(partitions), 8).lost();
        store(membership);
        return lost;
    }

    @Test
    void registeredWorkerIsShownAtOnceWithNothing() {
        GroupMembership membership = open();

        assertThat(membership.register("a", 1)).isTrue();
        assertThat(membership.members()).containsExactly(entry("a", List.of()));
    }

    @Test
    void fullGroupTakesNoNewWorkerButRefreshesItsOwn() {
        GroupMembership membership = open();
        membership.register("a", 1);

        assertThat(membership.register("b", 1)).isFalse();
        assertThat(membership.register("a", 1)).isTrue();
        assertThat(membership.members()).containsOnlyKeys("a");
    }

    @Test
    void lockIsHeldByOneWorkerOnly() {
        assertThat(lock("a", 1, 2).held()).containsExactly(1, 2);

        GroupMembership.Locked second = lock("b", 2, 3);

        assertThat(second.held()).containsExactly(3);
        assertThat(second.foreign()).containsExactly(2);
        assertThat(open().members()).containsExactly(entry("a", List.of(1, 2)), entry("b", List.of(3)));
    }

    @Test
    void workerAndLocksVanishExactlyWhenTheTtlHasPassed() {
        lock("a", 1);

        now += END - 1;
        assertThat(open().holder(1)).contains("a");

        now += 1;
        assertThat(open().holder(1)).isEmpty();
        assertThat(open().isWorking()).isFalse();
        assertThat(open().toRecord()).isEqualTo(GroupRecord.NOBODY);
    }

    @Test
    void lockOfACrashedWorkerGoesToTheNext() {
        lock("a", 1);
        now += END;

        assertThat(lock("b", 1).held()).containsExactly(1);
        assertThat(renew("a", 1)).containsExactly(1);
        assertThat(open().holder(1)).contains("b");
    }

    @Test
    void renewRevivesAWorkerAndGivesItBackWhatNobodyTook() {
        lock("a", 1);
        now += 2 * TTL.toMillis();

        assertThat(renew("a", 1)).isEmpty();
        assertThat(open().members()).containsExactly(entry("a", List.of(1)));
    }

    @Test
    void renewKeepsOnlyWhatItNames() {
        lock("a", 1, 2);
        now += TTL.toMillis();
        renew("a", 1);
        now += END - TTL.toMillis();

        assertThat(open().members()).containsExactly(entry("a", List.of(1)));
    }

    @Test
    void renewalIsWrittenOnlyWhenTheLeaseWouldBeShorterThanAWholeOne() {
        lock("a", 1, 2);
        GroupRecord written = stored;

        now += END - TTL.toMillis();
        renew("a", 1, 2);
        assertThat(stored).isEqualTo(written);

        now += 1;
        renew("a", 1, 2);
        now += END - 1;
        assertThat(open().members()).containsExactly(entry("a", List.of(1, 2)));
    }

    @Test
    void oneWriteRenewsTheLeasesOfAllThatWereHeard() {
        lock("a", 0);
        lock("b", 1);
        lock("c", 2);
        now += 14_000;
        GroupMembership membership = open();

        membership.renewHeard(Map.of("a", now - 1_000, "b", now, "c", now + 1_000, "left", now));
        store(membership);

        now += END - 1_001;
        assertThat(open().members()).containsExactly(entry("a", List.of(0)), entry("b", List.of(1)));
        now += 1;
        assertThat(open().members()).containsExactly(entry("b", List.of(1)));
        now += 1_000;
        assertThat(open().isWorking())
                .as("what is heard in the future renews nothing")
                .isFalse();
    }

    @Test
    void writeForOthersKeepsNoPartitionThatItsWorkerNamesNoMore() {
        lock("a", 1, 2);
        now += 1_000;
        renew("a", 1);
        now += 13_000;
        GroupMembership membership = open();
        membership.renewHeard(Map.of("a", now));
        store(membership);

        now += TTL.toMillis() - 13_000;

        assertThat(open().members()).containsExactly(entry("a", List.of(1)));
    }

    @Test
    void renewLosesPartitionsThatDoNotExist() {
        assertThat(renew("a", 7, 8, -1)).containsExactly(8, -1);
        assertThat(open().members()).containsExactly(entry("a", List.of(7)));
    }

    @Test
    void hugeRenewalTakesNoLongerThanItsListIsLong() {
        List<Integer> huge = IntStream.range(0, 200_000).boxed().toList();
        GroupMembership membership = open();

        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThat(membership.renew("a", huge, huge.size()).lost())
                        .isEmpty());
    }

    @Test
    void memberThatJoinsAgainKeepsItsPartitionsForTheWholeLease() {
        joins("a", 1);
        now += TTL.toMillis() - 1_000;

        joins("a", 0);

        now += END - 1;
        assertThat(open().holder(0)).contains("a");
        now += 1;
        assertThat(open().holder(0)).isEmpty();
    }

    /** As a member with a lease of its own, which then takes its share of this number of partitions. */
    private void joins(String member, int partitions) {
        GroupMembership membership = open();
        assertThat(membership.join(member, TTL.toMillis(), 8)).isTrue();
        membership.rebalance(member, partitions, partition -> false);
        store(membership);
    }

    @Test
    void unlockFreesOnlyOnesOwn() {
        lock("a", 1);
        lock("b", 2);
        GroupMembership membership = open();

        membership.unlock("a", List.of(1, 2, 3), true);

        assertThat(membership.members()).containsExactly(entry("a", List.of()), entry("b", List.of(2)));
        assertThat(membership.isForeign(2, "a")).isTrue();
        assertThat(membership.isForeign(1, "a")).isFalse();
    }

    /** The public SDKs end so: they have no call that says it. */
    @Test
    void workerThatReleasesItsLastPartitionIsNoMemberUntilItsNextHeartbeat() {
        lock("a", 1, 2);
        lock("b", 3);
        GroupMembership membership = open();

        membership.unlock("a", List.of(1), false);
        assertThat(membership.members()).containsExactly(entry("a", List.of(2)), entry("b", List.of(3)));
        membership.unlock("a", List.of(2), false);
        assertThat(membership.members()).containsExactly(entry("b", List.of(3)));

        membership.renew("a", List.of(), 8);
        assertThat(membership.members()).containsExactly(entry("a", List.of()), entry("b", List.of(3)));
    }

    @Test
    void workerThatReleasesWhatItDoesNotHoldRemainsAMember() {
        lock("b", 2);
        GroupMembership membership = open();
        membership.register("a", 10);

        membership.unlock("a", List.of(1, 2), false);

        assertThat(membership.members()).containsExactly(entry("a", List.of()), entry("b", List.of(2)));
    }

    /** A server's clock was ahead by an hour, and the worker is gone. */
    @ParameterizedTest
    @CsvSource({"sdk-worker, 30000", "127_0_0_1-rest-8000-0123456789abcdef, 8000"})
    void whatAWrongClockHasWrittenKeepsNothingLongerThanALease(String worker, long lease) {
        now += 3_600_000;
        GroupMembership ahead = open();
        ahead.join(worker, lease, 9);
        ahead.rebalance(worker, 2, partition -> false);
        store(ahead);
        now -= 3_600_000;

        assertThat(lock("b", 0).foreign()).as("it may be alive").containsExactly(0);
        now += lease * 3 / 2 - 1;
        assertThat(lock("b", 0).foreign()).containsExactly(0);
        now += 1;
        assertThat(lock("b", 0).held()).containsExactly(0);
    }

    /** A machine that was suspended is behind, and does not know it until its clock is compared. */
    @ParameterizedTest
    @CsvSource({"sdk-worker, 30000", "127_0_0_1-rest-8000-0123456789abcdef, 8000"})
    void serverThatMayBeBehindEndsNobodysLease(String worker, long lease) {
        GroupMembership right = open();
        right.join(worker, lease, 9);
        right.rebalance(worker, 2, partition -> false);
        store(right);
        Map<String, GroupRecord.Worker> before = stored.workers();
        now -= 600_000;
        sure = false;

        assertThat(lock("b", 0).foreign()).containsExactly(0);

        assertThat(stored.workers()).containsAllEntriesOf(before);
        now += 600_000 + lease * 3 / 2 - 1;
        sure = true;
        assertThat(lock("b", 0).foreign()).as("the lease lasts").containsExactly(0);
        now += 1;
        assertThat(lock("b", 0).held()).containsExactly(0);
    }

    @Test
    void serverThatMayBeBehindEndsNoLocks() {
        lock("a", 1, 2);
        Map<Integer, PartitionLock> before = stored.locks();
        now -= 600_000;
        sure = false;

        renew("a", 1);

        assertThat(stored.locks()).isEqualTo(before);
    }

    /** Another server has heard that the topic has grown, this one has not. */
    @Test
    void rebalanceThatKnowsOfFewerPartitionsFreesNoLocks() {
        GroupMembership informed = open();
        informed.join("a", 10_000, 9);
        informed.rebalance("a", 8, partition -> false);
        informed.join("b", 10_000, 9);
        GroupMembership stale = informed;

        GroupMembership.Share share = stale.rebalance("b", 4, partition -> false);

        assertThat(share.partitions()).isEmpty();
        assertThat(stale.heldBy("a")).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(stale.rebalance("a", 4, partition -> false).partitions()).containsExactly(0, 1, 2, 3);
        assertThat(stale.rebalance("b", 8, partition -> false).partitions()).containsExactly(4, 5, 6, 7);
    }

    @Test
    void clockThatIsAheadByLittleShortensNoLease() {
        now += 59_000;
        lock("a", 0);
        now -= 59_000;
        lock("b", 1);
        now += 59_000 + END - 1;

        assertThat(open().holder(0)).contains("a");
    }
}
