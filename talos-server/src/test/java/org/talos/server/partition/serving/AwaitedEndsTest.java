// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.log.Block;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

class AwaitedEndsTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final ClusterMember OTHER = new ClusterMember("b", "127.0.0.1:1", "127.0.0.1:2");
    private static final AwaitedEnds.End END = new AwaitedEnds.End(OTHER, LOG, 17);
    private static final Slice NOTHING = new Slice(List.of(), 0, 17);
    private static final Slice MESSAGE = new Slice(
            List.of(new StoredBlock(
                    17, 1, new Block(1, 0, 1, ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[] {1})))),
            0,
            18);

    private final List<CompletableFuture<Slice>> asked = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();
    private final List<Long> deadlines = new ArrayList<>();
    private long nanos = -1_000;
    private final AwaitedEnds ends = new AwaitedEnds(member -> new Other(), () -> nanos);

    /** The other server, which answers when the test says so. */
    private final class Other implements PartitionRequests {
        @Override
        public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
            asked.add(new CompletableFuture<>());
            waits.add(read.waitNanos());
            deadlines.add(forward.deadlineNanos());
            return asked.get(asked.size() - 1);
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
    }

    private CompletableFuture<@Nullable Void> await(long nanosFromNow) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        ends.await(END, nanos + nanosFromNow, "alice", result);
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
        assertThat(asked).hasSize(2); // for a new one it is asked anew
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

        CompletableFuture<@Nullable Void> busy = await(100);
        asked.get(2)
                .completeExceptionally(TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many wait"));

        assertThat(damaged).isCompletedExceptionally();
        assertThat(busy).as("asks again when its client does").isCompletedExceptionally();
        assertThat(moved).isCompletedWithValue(null);
    }
}
