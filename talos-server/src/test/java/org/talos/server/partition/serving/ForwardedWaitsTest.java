// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.HeldRequests;
import org.talos.server.transfer.HeldRequests.Held;
import org.talos.thrift.ErrorCode;

class ForwardedWaitsTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final ReadRequest READ = new ReadRequest(17, new BlockLimits(10, 1_000), 1, 2 * SECOND);
    private static final Slice NOTHING = new Slice(List.of(), 0, 17);

    private final HeldRequests there = new HeldRequests();
    private final LongWaits waits = new LongWaits();
    private final Deque<CompletableFuture<@Nullable Void>> pauses = new ArrayDeque<>();
    private long nanos;
    private final ForwardedWaits forwarded = new ForwardedWaits(there, waits, () -> nanos, this::pause);
    private final ForwardContext context = new ForwardContext("alice", 10 * SECOND);

    private CompletionStage<@Nullable Void> pause(long untilNanos) {
        CompletableFuture<@Nullable Void> pause = new CompletableFuture<>();
        pauses.add(pause);
        return pause.thenRun(() -> nanos = untilNanos);
    }

    private static TalosException refused() {
        return TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "full");
    }

    private ReadRequest refuseNext() throws Exception {
        Held asked = there.next();
        asked.answer().completeExceptionally(refused());
        return (ReadRequest) asked.subject();
    }

    @Test
    void refusedLongPollIsTriedAgainEachSecondAndEndsEmpty() throws Exception {
        CompletableFuture<Slice> poll = forwarded.read(LOG, READ, context).toCompletableFuture();

        assertThat(refuseNext().waitNanos()).isEqualTo(2 * SECOND);
        assertThat(poll).isNotDone();
        pauses.remove().complete(null);
        assertThat(refuseNext().waitNanos()).isEqualTo(SECOND);
        pauses.remove().complete(null);
        Held last = there.next();
        last.answer().complete(NOTHING);

        assertThat(((ReadRequest) last.subject()).waitNanos()).isZero();
        assertThat(poll).isCompletedWithValue(NOTHING);
        assertThat(nanos).as("at the end of its wait").isEqualTo(2 * SECOND);
    }

    @Test
    void refusalOfALongPollIsToldOnlyAtItsDeadline() throws Exception {
        CompletableFuture<Slice> poll = forwarded.read(LOG, READ, context).toCompletableFuture();

        while (!poll.isDone()) {
            refuseNext();
            if (!pauses.isEmpty()) {
                pauses.remove().complete(null);
            }
        }

        assertThat(poll).isCompletedExceptionally();
        assertThat(nanos).isBetween(8 * SECOND, 10 * SECOND);
    }

    @Test
    void anyOtherFailureAndRequestsThatDoNotWaitAreNotRepeated() throws Exception {
        CompletableFuture<Slice> moved = forwarded.read(LOG, READ, context).toCompletableFuture();
        there.next().answer().completeExceptionally(TalosException.refused(ErrorCode.PARTITION_NOT_SERVING, "moved"));
        CompletableFuture<Slice> atOnce =
                forwarded.read(LOG, READ.withoutWaiting(), context).toCompletableFuture();
        refuseNext();

        assertThat(moved).isCompletedExceptionally();
        assertThat(atOnce).isCompletedExceptionally();
        assertThat(pauses).isEmpty();
    }

    @Test
    void refusedWaitForManyEndsIsOverAtItsTime() throws Exception {
        CompletableFuture<Set<LogId>> found =
                forwarded.awaitAny(Map.of(LOG, 17L), SECOND, context).toCompletableFuture();

        there.next().answer().completeExceptionally(refused());
        assertThat(found).isNotDone();
        pauses.remove().complete(null);

        assertThat(found).isCompletedWithValue(Set.of());
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void refusedLongPollIsNotRepeatedWhenTheServerStops() throws Exception {
        CompletableFuture<Slice> poll = forwarded.read(LOG, READ, context).toCompletableFuture();
        refuseNext();

        waits.end();
        there.next().answer().complete(NOTHING);

        assertThat(poll).isCompletedWithValue(NOTHING);
        pauses.remove().complete(null);
        assertThat(there.nothingAsked()).isTrue();
    }
}
