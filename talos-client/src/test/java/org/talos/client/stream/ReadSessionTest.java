// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RoutedCalls;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Tests a consumer's partitions on streams, with time and events by hand. */
@Timeout(60)
class ReadSessionTest {
    private static final int WINDOW = 1_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private long nowNanos;
    private int memory = 2;
    private final List<ReadLink> opened = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();
    private final List<ReadLane> notified = new ArrayList<>();
    private final ReadSession session =
            new ReadSession(new HandDriven(), routes(), "orders", TIMEOUT, new SplittableRandom(1));
    private final ReadLane first = lane(0);
    private final ReadLane second = lane(1);

    /** Notes what the session does. Confined: the test. */
    private final class HandDriven implements ReadSession.Ground {
        @Override
        public long nanos() {
            return nowNanos;
        }

        @Override
        public boolean reserve() {
            memory--;
            if (memory < 0) {
                memory = 0;
                return false;
            }
            return true;
        }

        @Override
        public void release() {
            memory++;
        }

        @Override
        public void open(ReadLink link) {
            opened.add(link);
            link.connect(new Noting(link.server().getHost()));
        }

        @Override
        public void tell(ReadLane lane) {
            notified.add(lane);
        }
    }

    /** Notes what is sent to a server. Confined: the test. */
    private final class Noting implements Way {
        private final String host;

        Noting(String host) {
            this.host = host;
        }

        @Override
        public void send(ByteBuffer... parts) {
            ByteBuffer message = parts[0];
            int number = message.getInt(4);
            sent.add(
                    switch (message.get(0)) {
                        case 3 -> host + " subscribe " + number + " " + message.getLong(8);
                        case 4 -> host + " unsubscribe " + number;
                        default -> host + " credit " + number;
                    });
        }

        @Override
        public void ping() {
            sent.add(host + " ping");
        }

        @Override
        public void close() {
            sent.add(host + " close");
        }

        @Override
        public void abort(String why) {
            sent.add(host + " " + why);
        }
    }

    private RoutedCalls routes() {
        return TwoServers.routes(() -> nowNanos, TIMEOUT, new RoutedCalls.CallListener() {
            @Override
            public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
                throw new AssertionError("a call");
            }

            @Override
            public void repeating(String method, CallFailure failure, Duration pause) {
                throw new AssertionError("a call");
            }
        });
    }

    private static ReadLane lane(int partition) {
        return new ReadLane(new PartitionRef("orders", "me#orders#1", partition), () -> {});
    }

    private ReadLink link() {
        return opened.get(opened.size() - 1);
    }

    private void open() {
        session.received(link(), new ServerMessage.Opened(WINDOW, WINDOW, 4));
    }

    /** Has a partition come on a stream, behind a call. */
    private void read(ReadLane lane, long offset) {
        session.read(lane, offset, true);
        if (!link().isOpen()) {
            open();
        }
        lane.called();
        assertThat(session.read(lane, offset, true)).isTrue();
    }

    private void come(int partition, long offset, int messages, int cost) {
        come(partition, offset, messages, cost, offset + messages);
    }

    private void come(int partition, long offset, int messages, int cost, long end) {
        MessageBlock block = new MessageBlock(
                offset, messages, MessageCompressionType.NONE, ByteBuffer.allocate(Math.max(0, cost - 60)));
        session.received(link(), new ServerMessage.Block(cost, partition, block, offset, end));
    }

    private static List<Long> ready(ReadLane lane) {
        return lane.first(1_000, 1_000_000).stream()
                .map(MessageBlock::getStartMessageOffset)
                .toList();
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
        session.tick();
    }

    @Test
    void streamGoesOnBehindACallThatHasSucceeded() {
        assertThat(session.read(first, 5, true)).isFalse();
        open();
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(sent).isEmpty();

        first.called();

        assertThat(session.read(first, 7, true)).isTrue();
        assertThat(session.read(first, 7, true)).isTrue();
        assertThat(sent).containsExactly("a subscribe 0 7");
        assertThat(first.isAwaited()).isTrue();
        assertThat(opened).hasSize(1);
    }

    @Test
    void creditIsGrantedForWhatIsTakenAlone() {
        read(first, 5);
        sent.clear();

        come(0, 5, 2, 100);
        come(0, 7, 1, 200);
        come(0, 8, 1, 300);

        assertThat(sent).isEmpty();
        assertThat(notified).contains(first);
        assertThat(ready(first)).containsExactly(5L, 7L, 8L);
        session.taken(first, 8);
        assertThat(sent).containsExactly("a credit 300");
        assertThat(ready(first)).containsExactly(8L);
        assertThat(session.read(first, 8, true)).isTrue();
        assertThat(sent).hasSize(1);
    }

    @Test
    void creditIsGrantedInSteps() {
        read(first, 5);
        sent.clear();

        for (int i = 5; i < 9; i++) {
            come(0, i, 1, 100);
            session.taken(first, i + 1);
        }

        assertThat(sent).containsExactly("a credit 300");
    }

    @Test
    void creditThatABlockCouldLackIsGrantedAtOnce() {
        read(first, 5);
        read(second, 3);
        come(0, 5, 1, 100);
        come(0, 6, 1, 350);
        come(1, 3, 1, 350);
        sent.clear();

        session.taken(first, 6);

        assertThat(sent).containsExactly("a credit 100");
    }

    @Test
    void creditThatALargerBlockCouldLackIsGrantedSoon() {
        read(first, 5);
        come(0, 5, 1, 100);
        session.taken(first, 6);
        sent.clear();

        pass(Duration.ofMillis(150));
        assertThat(sent).isEmpty();
        pass(Duration.ofMillis(150));
        pass(Duration.ofMillis(250));

        assertThat(sent).containsExactly("a credit 100");
    }

    @Test
    void partOfABlockKeepsItAndWhatIsSkippedGivesCredit() {
        read(first, 5);
        sent.clear();
        come(0, 5, 4, 300);
        come(0, 9, 1, 200);

        session.taken(first, 7);
        assertThat(sent).isEmpty();
        assertThat(session.read(first, 9, true)).isTrue();

        assertThat(sent).containsExactly("a credit 300");
        assertThat(ready(first)).containsExactly(9L);
    }

    @Test
    void blocksOfASubscriptionOfBeforeArePassedOver() {
        read(first, 5);
        come(0, 5, 1, 100);
        sent.clear();

        assertThat(session.read(first, 50, true)).isTrue();
        come(0, 6, 1, 70);
        come(1, 3, 1, 80);

        assertThat(sent).containsExactly("a subscribe 0 50", "a credit 250");
        assertThat(first.isAwaited()).isTrue();
        come(0, 50, 1, 100);
        assertThat(ready(first)).containsExactly(50L);
    }

    @Test
    void partitionThatHasEndedIsReadOnByACall() {
        read(first, 5);
        come(0, 5, 1, 300);
        notified.clear();

        session.received(link(), new ServerMessage.Ended(0, new StreamProblem(Map.of("code", "x"))));

        assertThat(notified).containsExactly(first);
        assertThat(first.isAwaited()).isFalse();
        assertThat(ready(first)).isEmpty();
        assertThat(sent).endsWith("a unsubscribe 0", "a credit 300"); // a subscription of after that ends too
        assertThat(session.read(first, 5, true)).isFalse();
        first.called();
        assertThat(session.read(first, 6, true)).isTrue();
        assertThat(sent).endsWith("a subscribe 0 6");
    }

    @Test
    void oldestMessageIsGotByACall() {
        read(first, 5);

        assertThat(session.read(first, -1, true)).isFalse();

        assertThat(sent).endsWith("a unsubscribe 0");
    }

    @Test
    void readersOfAStreamThatIsOverMakeCallsAndItIsOpenedAgainSoon() {
        read(first, 5);
        read(second, 3);
        come(0, 5, 1, 100);
        notified.clear();

        session.over(link(), new EOFException("cut"));

        assertThat(notified).containsExactlyInAnyOrder(first, second);
        assertThat(memory).isEqualTo(2);
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).hasSize(1);
        nowNanos += Duration.ofMillis(100).toNanos();
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).hasSize(2);
        read(first, 6);
        assertThat(sent).endsWith("a subscribe 0 6");
    }

    @Test
    void serverThatHasNoStreamsIsLeftAloneForLonger() {
        session.read(first, 5, true);
        session.over(link(), new UpgradeRefusedException(426, Map.of(), ""));

        nowNanos += Duration.ofSeconds(14).toNanos();
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).hasSize(1);

        nowNanos += Duration.ofSeconds(17).toNanos();
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).hasSize(2);
    }

    @Test
    void noStreamIsOpenedWithoutMemoryForWhatLiesReady() {
        memory = 0;

        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).isEmpty();

        memory = 1;
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).hasSize(1);
        assertThat(memory).isZero();
    }

    @Test
    void partitionsOfAServerThatStopsGoElsewhereAfterTheTimeThatItNames() {
        read(first, 5);
        ReadLink old = link();

        session.received(old, new ServerMessage.Move(2_000));
        come(0, 5, 1, 300);
        assertThat(ready(first)).containsExactly(5L);
        assertThat(session.read(second, 1, true)).isFalse();
        assertThat(opened).hasSize(1);

        pass(Duration.ofSeconds(2));
        assertThat(sent).endsWith("a unsubscribe 0", "a credit 300", "a close");
        session.over(old, new StreamClosedException(1000, ""));
        read(first, 5);
        assertThat(link().server()).isEqualTo(TwoServers.B);
        assertThat(sent).endsWith("b subscribe 0 5");
    }

    @Test
    void partitionOfWhichMostLiesReadyGivesWayToThoseThatWait() {
        read(first, 5);
        read(second, 3);
        come(0, 5, 1, 700);
        sent.clear();

        pass(Duration.ofMillis(900));
        assertThat(sent).isEmpty();
        pass(Duration.ofMillis(200));

        assertThat(sent).containsExactly("a unsubscribe 0", "a credit 700");
        assertThat(ready(first)).isEmpty();
        assertThat(first.hasYielded()).isTrue();
        assertThat(second.hasYielded()).isFalse();
        assertThat(session.read(first, 5, true)).isFalse(); // a call gets it
    }

    @Test
    void littleThatLiesReadyStaysWhileOthersAreAtTheirEnds() {
        read(first, 5);
        read(second, 3);
        come(1, 3, 1, 300, 4);
        session.taken(second, 4);
        session.read(second, 4, true);
        come(0, 5, 1, 400);
        sent.clear();

        pass(Duration.ofSeconds(2));

        assertThat(sent).isEmpty();
        assertThat(ready(first)).containsExactly(5L);
    }

    @Test
    void littleThatLiesReadyGivesWayWhereBlocksAreLarge() {
        read(first, 5);
        read(second, 3);
        come(1, 3, 1, 650, 4);
        session.taken(second, 4);
        session.read(second, 4, true);
        come(0, 5, 1, 400);
        sent.clear();

        pass(Duration.ofSeconds(2));

        assertThat(sent).containsExactly("a unsubscribe 0", "a credit 400");
    }

    @Test
    void streamThatOpensOnceItIsToBeLeftIsLeft() {
        session.read(first, 5, true);

        session.close();
        open();

        assertThat(link().isLeaving()).isTrue();
    }

    @Test
    void silentServerIsPingedAndThenLeft() {
        read(first, 5);
        sent.clear();

        pass(Duration.ofSeconds(6));
        pass(Duration.ofSeconds(1));
        assertThat(sent).containsExactly("a ping");
        session.heard(link());
        pass(Duration.ofSeconds(6));
        assertThat(sent).containsExactly("a ping", "a ping");
        pass(Duration.ofSeconds(10));

        assertThat(sent).endsWith("a nothing was heard within PT10S");
    }

    @Test
    void whatNobodyAsksForIsAbandonedAndThenItsStream() throws IOException {
        read(first, 5);
        come(0, 5, 1, 100);
        session.taken(first, 6);
        sent.clear();

        for (int i = 0; i < 70; i++) {
            session.heard(link());
            pass(Duration.ofSeconds(1));
        }

        assertThat(sent).containsSubsequence("a unsubscribe 0", "a close");
        session.over(link(), new StreamClosedException(1000, ""));
        assertThat(session.isBusy()).isFalse();
        assertThat(memory).isEqualTo(2);
    }

    @Test
    void nothingComesAfterTheEnd() {
        read(first, 5);
        notified.clear();

        session.close();

        assertThat(sent).endsWith("a close");
        assertThat(notified).containsExactly(first);
        assertThat(session.read(first, 5, true)).isFalse();
        assertThat(opened).hasSize(1);
    }
}
