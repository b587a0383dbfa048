// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.log.Block;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

class AwaitedEndsTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final ClusterMember OTHER = new ClusterMember("b", "127.0.0.1:1", "127.0.0.1:2");
    private static final LogId NEXT = new LogId("0123456789abcdef0123456789abcdef", 1);
    private static final AwaitedEnds.Source ALICE = new AwaitedEnds.Source(OTHER, "alice");
    private static final Map<LogId, Long> BOTH = Map.of(LOG, 17L, NEXT, 3L);
    private static final Slice NOTHING = new Slice(List.of(), 0, 17);
    private static final Slice MESSAGE = new Slice(
            List.of(new StoredBlock(
                    17, 1, new Block(1, 0, 1, ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[] {1})))),
            0,
            18);

    private final List<CompletableFuture<Slice>> asked = new ArrayList<>();
    private final List<LogId> logs = new ArrayList<>(); // of those
    private final List<Map<LogId, Long>> askedTogether = new ArrayList<>();
    private final List<CompletableFuture<Set<LogId>>> together = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();
    private final List<Long> deadlines = new ArrayList<>();
    private long nanos = -1_000;
    private final AwaitedEnds ends = new AwaitedEnds(member -> new Other(), () -> nanos);

    /** The other server, which answers when the test says so. */
    private final class Other implements PartitionRequests {
        @Override
        public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
            asked.add(new CompletableFuture<>());
            logs.add(id);
            waits.add(read.waitNanos());
            deadlines.add(forward.deadlineNanos());
            return asked.get(asked.size() - 1);
        }

        @Override
        public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
            askedTogether.add(ends);
            together.add(new CompletableFuture<>());
            waits.add(waitNanos);
            return together.get(together.size() - 1);
        }

        @Override
        public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
            throw new AssertionError("put");
        }

        @Override
        public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
            throw new AssertionError("bounds");
        }

        @Override
        public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
            throw new AssertionError("offsetAtTime");
        }

        @Override
        public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
            throw new AssertionError("delete");
        }
    }

    private CompletableFuture<@Nullable Void> await(long nanosFromNow) {
        return await(ALICE, Map.of(LOG, 17L), nanosFromNow);
    }

    private CompletableFuture<@Nullable Void> await(
            AwaitedEnds.Source source, Map<LogId, Long> offsets, long nanosFromNow) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        ends.await(source, offsets, nanos + nanosFromNow, result);
        return result;
    }

    @Test
    void readerThatComesBackOftenHasOneRequestThere() {
        for (int i = 0; i < 1_000; i++) {
            nanos += 10;
            await(100_000).complete(null); // found something elsewhere
        }

        assertThat(asked).hasSize(1);
    }

    @Test
    void allWhoWaitAreToldOfAMessage() {
        CompletableFuture<@Nullable Void> first = await(100);
        CompletableFuture<@Nullable Void> second = await(100);

        asked.get(0).complete(MESSAGE);

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(await(100)).isNotDone();
        assertThat(asked).hasSize(2); // for a new one it is asked again
    }

    @Test
    void whoWaitsLongerIsAskedForOnceTheFirstTimeIsOver() {
        var unused = await(100);
        nanos += 60;
        CompletableFuture<@Nullable Void> second = await(100);
        nanos += 40;

        asked.get(0).complete(NOTHING);
        assertThat(waits).containsExactly(100L, 60L);
        asked.get(1).complete(MESSAGE);

        assertThat(second).isCompleted();
    }

    /** The answer is as late as timers are, and a network. */
    @Test
    void whoseTimeIsOverByThenIsNotAskedForAgain() {
        var unused = await(100);
        nanos += 5;
        CompletableFuture<@Nullable Void> second = await(100);
        nanos += 110;

        asked.get(0).complete(NOTHING);

        assertThat(asked).hasSize(1);
        assertThat(second).as("ends by its own timer").isNotDone();
    }

    @Test
    void serverThatDoesNotAnswerInTimeFailsNobody() {
        CompletableFuture<@Nullable Void> waiting = await(100);
        asked.get(0).completeExceptionally(TalosException.refused(ErrorCode.REQUEST_PROCESS_TIMEOUT, "too late"));

        assertThat(waiting).isCompletedWithValue(null);
        assertThat(deadlines.get(0)).as("the answer has time").isGreaterThan(nanos + 1_000_000_000);
    }

    @Test
    void serverThatAnswersTooEarlyIsNotAskedAgainAndAgain() {
        var unused = await(100);

        asked.get(0).complete(NOTHING);

        assertThat(asked).hasSize(1);
        var unusedToo = await(100);
        assertThat(asked).hasSize(2);
    }

    @Test
    void failureIsToldUnlessTheLogIsJustServedElsewhere() {
        CompletableFuture<@Nullable Void> damaged = await(100);
        asked.get(0)
                .completeExceptionally(TalosException.refused(ErrorCode.HDFS_OPERATION_FAILED, "messages are damaged"));
        CompletableFuture<@Nullable Void> moved = await(100);
        asked.get(1).completeExceptionally(TalosException.refused(ErrorCode.PARTITION_NOT_SERVING, "moved"));

        assertThat(damaged).isCompletedExceptionally();
        assertThat(moved).isCompletedWithValue(null);
    }

    @Test
    void whereARequestIsRefusedReadersAreLeftToTheirTimers() {
        TalosException refused = TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many wait");
        CompletableFuture<@Nullable Void> alone = await(100);
        CompletableFuture<@Nullable Void> ofTwo = await(ALICE, Map.of(NEXT, 3L, LOG, 18L), 100);

        asked.get(0).completeExceptionally(refused);
        together.get(0).completeExceptionally(refused);

        assertThat(alone).isNotDone();
        assertThat(ofTwo).isNotDone();
        assertThat(asked).as("not again and again").hasSize(1);
        assertThat(together).hasSize(1);
        var unused = await(100);
        assertThat(asked).as("again when its client comes back").hasSize(2);
    }

    @Test
    void manyEndsAtAServerAreOneRequest() {
        CompletableFuture<@Nullable Void> first = await(ALICE, BOTH, 100);

        assertThat(askedTogether).containsExactly(BOTH);
        assertThat(asked).isEmpty();
        together.get(0).complete(Set.of(NEXT));
        assertThat(first).isCompletedWithValue(null);
        var unused = await(ALICE, BOTH, 100);
        assertThat(askedTogether).hasSize(2);
    }

    @Test
    void endsOfOthersAreAwaitedOnAfterOneWasReached() {
        CompletableFuture<@Nullable Void> ofBoth = await(ALICE, BOTH, 100);
        CompletableFuture<@Nullable Void> ofOne = await(100); // joins

        together.get(0).complete(Set.of(NEXT));

        assertThat(ofBoth).isCompletedWithValue(null);
        assertThat(ofOne).isNotDone();
        assertThat(asked).hasSize(1);
        asked.get(0).complete(MESSAGE);
        assertThat(ofOne).isCompletedWithValue(null);
    }

    @Test
    void eachUserHasARequestOfTheirOwn() {
        CompletableFuture<@Nullable Void> alice = await(ALICE, BOTH, 100);
        CompletableFuture<@Nullable Void> bob = await(new AwaitedEnds.Source(OTHER, "bob"), BOTH, 100);
        assertThat(together).hasSize(2);

        together.get(0)
                .completeExceptionally(TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many wait"));
        together.get(1).complete(Set.of(LOG));

        assertThat(alice).isNotDone();
        assertThat(bob).isCompletedWithValue(null);
    }

    @Test
    void earlierVersionIsSentAReadForEachEnd() {
        CompletableFuture<@Nullable Void> waiting = await(ALICE, BOTH, 100);

        together.get(0).completeExceptionally(TalosException.refused(ErrorCode.BAD_REQUEST, "no such call"));

        assertThat(asked).hasSize(2);
        assertThat(waiting).isNotDone();
        asked.get(1).complete(MESSAGE);
        assertThat(waiting).isCompletedWithValue(null);
    }

    @Test
    void logThatCannotBeReadFailsOnlyItsOwnReaders() {
        CompletableFuture<@Nullable Void> ofBoth = await(ALICE, Map.of(LOG, 17L, NEXT, 3L), 100);
        CompletableFuture<@Nullable Void> ofOne = await(ALICE, Map.of(NEXT, 3L), 100); // joins
        TalosException damaged = TalosException.refused(ErrorCode.HDFS_OPERATION_FAILED, "messages are damaged");

        together.get(0).completeExceptionally(damaged);
        readOf(LOG).completeExceptionally(damaged);

        assertThat(ofBoth).isCompletedExceptionally();
        assertThat(ofOne).isNotDone();
    }

    private CompletableFuture<Slice> readOf(LogId id) {
        return asked.get(logs.indexOf(id));
    }
}
