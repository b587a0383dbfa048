// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.group.GroupMember;
import org.talos.server.service.group.GroupReads;
import org.talos.server.service.message.Fetched;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Tests a stream as a member of a group, without threads and time. */
class MembershipTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final long LEASE = 6_000;
    private static final Problem UNSERVED = Problem.refused(503, "partition-not-serving", "later");

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final StreamSession session = new StreamSession(
            new StreamTerms(100_000, 100_000, 4, true),
            ServerMessages.BINARY,
            new FourPlaces(),
            new RequestMemory(budget.of("user")));
    private final List<StreamWork.Read> reads = new ArrayList<>();
    private StreamWork.Pause pause = new StreamWork.Pause(0, 0);

    @BeforeEach
    void join() throws Exception {
        session.received(new ClientMessage.Join("ship", "", LEASE, false));
        assertThat(work()).isInstanceOf(StreamWork.Join.class);
        session.inGroup(each -> each.joined(new GroupMember("m1", LEASE, List.of())));
        assertThat(names()).containsExactly("OPENED", "JOINED");
        pause = (StreamWork.Pause) work();
    }

    private StreamWork work() {
        return Objects.requireNonNull(session.nextWork());
    }

    /** The next balance; reads that are begun on the way are kept. */
    private StreamWork.Balance balance() {
        StreamWork next = work();
        while (!(next instanceof StreamWork.Balance balance)) {
            if (next instanceof StreamWork.Read read) {
                reads.add(read);
            } else if (next instanceof StreamWork.Pause again) {
                pause = again;
            }
            next = work();
        }
        return balance;
    }

    private void nextRound() {
        session.inGroup(each -> each.paused(pause.membership()));
    }

    private static GroupReads.Balance share(List<Integer> partitions, List<Integer> revoking, Map<Integer, Long> from) {
        return new GroupReads.Balance(partitions, revoking, from, Map.of(), List.of());
    }

    private void balanced(GroupReads.Balance share) {
        StreamWork.Balance begun = balance();
        session.inGroup(each -> each.balanced(begun, share));
    }

    private List<String> names() {
        return written().stream().map(Received::name).toList();
    }

    private List<Received> written() {
        List<Received> all = new ArrayList<>();
        for (Outgoing next = session.nextOutgoing(); next != null; next = session.nextOutgoing()) {
            ByteBuffer whole = ByteBuffer.allocate((int) next.remaining());
            next.parts().forEach(part -> whole.put(part.duplicate()));
            all.add(new Received(whole.array()));
            session.written(next);
        }
        return all;
    }

    /** Answers the read of partition 0 that is to be begun by blocks of one message each. */
    private void sent(int... offsets) {
        StreamWork.Read read = reads.isEmpty() ? (StreamWork.Read) work() : reads.remove(0);
        List<MessageBlock> blocks = new ArrayList<>();
        for (int offset : offsets) {
            blocks.add(new MessageBlock(offset, 1, MessageCompressionType.NONE, ByteBuffer.allocate(1)));
        }
        session.read(
                read.subscription(),
                Found.blocks(0, new Fetched(LOG, 0, 100, blocks), new RequestMemory(budget.of("user"))));
    }

    private StreamWork.Commit commit(int partition, long offset) throws StreamEndException {
        session.received(new ClientMessage.Commit(partition, offset));
        return (StreamWork.Commit) work();
    }

    /** Partition 0 is the member's, from offset 5 on, of which two were sent. */
    private void reading() {
        balanced(share(List.of(0), List.of(), Map.of(0, 5L)));
        sent(5, 6);
        assertThat(names()).containsExactly("ASSIGNED", "BLOCK", "BLOCK");
    }

    @Test
    void partitionIsReadFromWhereItIsCommitted() {
        balanced(share(List.of(0, 2), List.of(), Map.of(0, 5L, 2, 0L)));

        List<Received> assigned = written();
        assertThat(assigned).extracting(Received::name).containsExactly("ASSIGNED", "ASSIGNED");
        assertThat(assigned.get(0).number(8)).isEqualTo(5);
        assertThat(((StreamWork.Read) work()).offset()).isEqualTo(5);
        assertThat(session.nextWork()).as("the first may need all credit").isNull();
    }

    @Test
    void whatWasSentAndNotCommittedIsInProgress() throws Exception {
        reading();
        nextRound();
        assertThat(balance().positions()).isEqualTo(Map.of(0, 7L));
    }

    @Test
    void balanceNamesWhatTheMemberHolds() {
        assertThat(balance().held()).isEmpty();
    }

    @Test
    void balanceAfterTheFirstNamesWhatWasAssigned() {
        reading();
        nextRound();

        assertThat(balance().held()).containsExactly(0);
    }

    @Test
    void whatIsCommittedIsNotInProgress() throws Exception {
        reading();
        StreamWork.Commit commit = commit(0, 7);
        session.inGroup(each -> each.committed(commit.partition(), commit.offset()));
        assertThat(names()).containsExactly("COMMITTED");
        nextRound();

        assertThat(balance().positions()).isEmpty();
    }

    @Test
    void revokedPartitionIsReadNoMoreAndReleasedOnceAllOfItIsCommitted() throws Exception {
        reading();
        nextRound();
        balanced(share(List.of(0), List.of(0), Map.of()));
        assertThat(names()).containsExactly("REVOKING");

        StreamWork.Commit part = commit(0, 6);
        session.inGroup(each -> each.committed(part.partition(), part.offset()));
        StreamWork.Commit all = commit(0, 7);
        session.inGroup(each -> each.committed(all.partition(), all.offset()));
        StreamWork.Balance next = balance(); // at once, as another waits
        assertThat(next.positions()).isEmpty();
        session.inGroup(each -> each.balanced(next, share(List.of(), List.of(), Map.of())));

        assertThat(names()).containsExactly("COMMITTED", "COMMITTED", "REVOKED");
        session.received(new ClientMessage.Commit(0, 7));
        assertThat(written().get(0).code()).isEqualTo("lock-exist");
        assertThat(reads).allMatch(read -> !read.subscription().isCurrent());
    }

    @Test
    void memberThatNeverCommitsIsWaitedForALease() {
        reading();
        nextRound();
        balanced(share(List.of(0), List.of(0), Map.of()));
        for (int i = 1; i < Membership.ROUNDS_IN_A_LEASE; i++) {
            nextRound();
            StreamWork.Balance waits = balance();
            assertThat(waits.positions()).containsKey(0);
            session.inGroup(each -> each.balanced(waits, share(List.of(0), List.of(0), Map.of())));
        }
        nextRound();
        StreamWork.Balance last = balance();
        assertThat(last.positions()).isEmpty();
        session.inGroup(each -> each.balanced(last, share(List.of(), List.of(), Map.of())));

        assertThat(names()).containsExactly("REVOKING", "REVOKED");
    }

    @Test
    void partitionThatIsKeptAfterAllGoesOn() {
        reading();
        nextRound();
        balanced(share(List.of(0), List.of(0), Map.of()));
        nextRound();
        balanced(share(List.of(0), List.of(), Map.of(0, 5L)));

        List<Received> received = written();
        assertThat(received).extracting(Received::name).containsExactly("REVOKING", "ASSIGNED");
        assertThat(received.get(1).number(8)).isEqualTo(7);
    }

    @Test
    void leaseThatCannotBeRenewedEndsTheMembership() {
        reading();
        for (int i = 1; i < Membership.ROUNDS_IN_A_LEASE - 1; i++) {
            nextRound();
            StreamWork.Balance fails = balance();
            session.inGroup(each -> each.balanceFailed(fails, UNSERVED));
        }
        assertThat(names()).isEmpty();
        nextRound();

        List<Received> received = written();
        assertThat(received).extracting(Received::name).containsExactly("LEFT");
        assertThat(received.get(0).code()).isEqualTo("consumer-not-exist");
        assertThat(session.nextWork()).isNull();
        assertThat(reads).allMatch(read -> !read.subscription().isCurrent());
    }

    @Test
    void balanceThatHangsDoesNotStopTheLease() {
        reading();
        nextRound();
        StreamWork.Balance hangs = balance();
        for (int i = 2; i < Membership.ROUNDS_IN_A_LEASE - 1; i++) {
            nextRound();
            assertThat(work()).isInstanceOf(StreamWork.Pause.class);
        }
        nextRound();
        session.inGroup(each -> each.balanced(hangs, share(List.of(0), List.of(), Map.of(0, 5L))));

        assertThat(names()).containsExactly("LEFT");
    }

    @Test
    void partitionThatCannotBeReadOnGoesOnAtWhatTheClientCommits() throws Exception {
        balanced(share(List.of(0), List.of(), Map.of(0, 5L)));
        StreamWork.Read read = (StreamWork.Read) work();
        session.readFailed(read.subscription(), Problem.refused(422, "unreadable-block", "from 5 to 8"));
        assertThat(names()).containsExactly("ASSIGNED", "ENDED");
        nextRound();
        balanced(share(List.of(0), List.of(), Map.of(0, 5L)));

        StreamWork.Commit commit = commit(0, 9);
        session.inGroup(each -> each.committed(commit.partition(), commit.offset()));

        assertThat(((StreamWork.Read) work()).offset()).isEqualTo(9);
    }

    @Test
    void whatMayPassByItselfIsTriedAgainAndNotTold() {
        balanced(share(List.of(0), List.of(), Map.of(0, 5L)));
        session.readFailed(((StreamWork.Read) work()).subscription(), UNSERVED);
        assertThat(names()).containsExactly("ASSIGNED");
        assertThat(session.nextWork()).isNull();
        nextRound();
        balanced(share(List.of(0), List.of(), Map.of(0, 5L)));

        assertThat(((StreamWork.Read) work()).offset()).isEqualTo(5);
    }

    @Test
    void balanceOfAnEarlierMembershipChangesNothing() throws Exception {
        StreamWork.Balance old = balance();
        session.inGroup(each -> each.end(UNSERVED));
        session.received(new ClientMessage.Join("ship", "", LEASE, false));
        assertThat(work()).isInstanceOf(StreamWork.Join.class);
        session.inGroup(each -> each.joined(new GroupMember("m2", LEASE, List.of())));

        session.inGroup(each -> each.balanced(old, share(List.of(0), List.of(), Map.of(0, 5L))));

        assertThat(names()).containsExactly("LEFT", "JOINED");
    }

    @Test
    void commitsOfAPartitionThatWaitGoTogether() throws Exception {
        reading();
        StreamWork.Commit first = commit(0, 5);
        session.received(new ClientMessage.Commit(0, 6));
        session.received(new ClientMessage.Commit(0, 7));
        session.stop(0);
        assertThat(session.hasMoved()).isFalse();
        session.inGroup(each -> each.committed(first.partition(), first.offset()));

        StreamWork.Commit second = (StreamWork.Commit) work();
        assertThat(second.offset()).isEqualTo(7);
        assertThat(session.hasMoved()).isFalse();
        session.inGroup(each -> each.committed(second.partition(), second.offset()));

        assertThat(names()).containsExactly("MOVE", "COMMITTED", "COMMITTED");
        assertThat(session.hasMoved()).isTrue();
    }

    @Test
    void memberHasNoOtherSubscriptions() {
        assertThatThrownBy(() -> session.received(new ClientMessage.Subscribe(0, 0)))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.NOT_ALLOWED));
        assertThatThrownBy(() -> session.received(new ClientMessage.Unsubscribe(0)))
                .isInstanceOf(StreamEndException.class);
        assertThatThrownBy(() -> session.received(new ClientMessage.Join("ship", "", 0, false)))
                .isInstanceOf(StreamEndException.class);
    }

    @Test
    void streamOfATokenIsNoMember() throws Exception {
        StreamSession ofAToken = new StreamSession(
                new StreamTerms(100_000, 100_000, 4, false),
                JsonMessages.JSON,
                new FourPlaces(),
                new RequestMemory(budget.of("user")));

        ofAToken.received(new ClientMessage.Join("ship", "", 0, false));

        assertThat(ofAToken.nextWork()).isNull();
        assertThat(Objects.requireNonNull(ofAToken.nextOutgoing()).parts()).hasSize(1);
        ByteBuffer left =
                Objects.requireNonNull(ofAToken.nextOutgoing()).parts().get(0);
        assertThat(UTF_8.decode(left).toString()).contains("\"left\"", "permission-denied-error");
    }

    @Test
    void whatIsLeftGivesBackItsMemory() throws Exception {
        reading();
        session.received(new ClientMessage.Leave());
        StreamWork next = work();
        while (!(next instanceof StreamWork.Leave leave)) {
            if (next instanceof StreamWork.Read read) {
                reads.add(read);
            } else if (next instanceof StreamWork.Balance begun) {
                session.inGroup(each -> each.balanced(begun, share(List.of(0), List.of(), Map.of())));
            }
            next = work();
        }
        session.inGroup(each -> each.left(leave, null));
        assertThat(names()).containsExactly("LEFT");

        reads.forEach(read -> session.readFailed(read.subscription(), UNSERVED));
        assertThat(budget.used()).isZero();
    }
}
