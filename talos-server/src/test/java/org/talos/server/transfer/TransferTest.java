// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.at;
import static org.talos.server.transfer.TransferFixture.block;
import static org.talos.server.transfer.TransferFixture.config;
import static org.talos.server.transfer.TransferFixture.context;
import static org.talos.server.transfer.TransferFixture.failure;
import static org.talos.server.transfer.TransferFixture.put;
import static org.talos.server.transfer.TransferFixture.read;
import static org.talos.server.transfer.TransferFixture.result;
import static org.talos.server.transfer.TransferFixture.stored;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.server.log.Block;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.HeldRequests.Held;
import org.talos.server.transfer.client.Transfer;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.wire.TransferKey;
import org.talos.thrift.ErrorCode;

@Timeout(60)
class TransferTest {
    private static final Duration SHORT = Duration.ofMillis(1_500); // enough for a request on a machine that is busy

    private final TransferFixture fixture = new TransferFixture();
    private final HeldRequests there = new HeldRequests();

    @AfterEach
    void close() throws Exception {
        there.close();
        fixture.close();
    }

    private PartitionRequests connected() throws Exception {
        return fixture.transfer(config()).to(at("b", fixture.server(there).port()));
    }

    /** Connected, and all that a first request loads and proves is done: a short deadline is for what follows. */
    private PartitionRequests reached() throws Exception {
        PartitionRequests other = connected();
        CompletionStage<AppendResult> first = other.put(LOG, put("first"), context());
        there.next().answer().complete(stored(1));
        result(first);
        return other;
    }

    private static byte[] random(int bytes) {
        byte[] some = new byte[bytes];
        new Random(bytes).nextBytes(some);
        return some;
    }

    @Test
    void putArrivesAsItWasSent() throws Exception {
        Put put = put("sequence-\u0001-7", random(5 << 20), random(10), new byte[0]);

        CompletionStage<AppendResult> answer = connected().put(LOG, put, context());
        Held asked = there.next();
        asked.answer().complete(stored(1L << 40));

        assertThat(asked.subject()).isEqualTo(put);
        assertThat(result(answer).firstOffset()).isEqualTo(1L << 40);
    }

    @Test
    void readComesBackAsItWasFound() throws Exception {
        Slice slice = new Slice(
                List.of(
                        block(17, random(3 << 20)),
                        block(18, new byte[] {9}),
                        new StoredBlock(
                                19,
                                5,
                                new Block(2, 1, 4, ByteBuffer.wrap(random(9_000)), ByteBuffer.wrap(random(99))))),
                3,
                21);

        CompletionStage<Slice> answer = connected().read(LOG, read(Duration.ZERO), context());
        Held asked = there.next();
        asked.answer().complete(slice);

        assertThat(asked.subject()).isEqualTo(read(Duration.ZERO));
        assertThat(result(answer)).isEqualTo(slice);
    }

    /** A reader continues behind them, though another server has the partition. */
    @Test
    void damagedOffsetsComeBack() throws Exception {
        TalosException.Offsets offsets = new TalosException.Offsets(3, 17, 1L << 40);
        TalosException damaged =
                TalosException.damaged(ErrorCode.HDFS_OPERATION_FAILED, offsets, "messages here are damaged", null);

        CompletionStage<Slice> answer = connected().read(LOG, read(Duration.ZERO), context());
        there.next().answer().completeExceptionally(damaged);

        TalosException failure = failure(answer);
        assertThat(failure.damaged()).contains(offsets);
        assertThat(failure.fault()).contains(Fault.DAMAGED);
        assertThat(failure).hasMessage("messages here are damaged");
    }

    @Test
    void readOnlyBuffersAreSentToo() throws Exception {
        Block block = new Block(
                1,
                0,
                0,
                ByteBuffer.allocateDirect(3),
                ByteBuffer.wrap(random(50)).asReadOnlyBuffer());
        Slice slice = new Slice(List.of(new StoredBlock(17, 1, block)), 0, 18);

        CompletionStage<Slice> answer = connected().read(LOG, read(Duration.ZERO), context());
        there.next().answer().complete(slice);

        assertThat(result(answer)).isEqualTo(slice);
    }

    @Test
    void boundsAndOffsetsComeBack() throws Exception {
        PartitionRequests other = connected();
        Map<LogId, LogBounds> bounds = Map.of(LOG, new LogBounds(1, 2, 3));

        CompletionStage<Map<LogId, LogBounds>> first = other.bounds(List.of(LOG), context());
        Held asked = there.next();
        asked.answer().complete(bounds);
        CompletionStage<Long> second = other.offsetAtTime(LOG, 1_234, context());
        Held askedNext = there.next();
        askedNext.answer().complete(99L);

        assertThat(asked.subject()).isEqualTo(List.of(LOG));
        assertThat(result(first)).isEqualTo(bounds);
        assertThat(askedNext.subject()).isEqualTo(1_234L);
        assertThat(result(second)).isEqualTo(99);
    }

    @Test
    void deletionIsPassedOnAndItsResultComesBack() throws Exception {
        Deletion deletion = new Deletion(43, false);
        Deletion.Result deleted = new Deletion.Result(7, 43, 36, 1_234);

        CompletionStage<Deletion.Result> answer = connected().delete(LOG, deletion, context());
        Held asked = there.next();
        asked.answer().complete(deleted);

        assertThat(asked.subject()).isEqualTo(deletion);
        assertThat(result(answer)).isEqualTo(deleted);
    }

    @Test
    void errorComesBackAsItWasThere() throws Exception {
        PartitionRequests other = connected();

        for (Effect effect : Effect.values()) {
            CompletionStage<AppendResult> answer = other.put(LOG, put("s"), context());
            there.next()
                    .answer()
                    .completeExceptionally(new TalosException(ErrorCode.HDFS_OPERATION_FAILED, effect, "as it is"));

            assertFails(answer, ErrorCode.HDFS_OPERATION_FAILED, effect);
        }
    }

    @Test
    void faultOfTheOtherServerLeavesAPutUnknown() throws Exception {
        CompletionStage<AppendResult> answer = connected().put(LOG, put("s"), context());
        there.next().answer().completeExceptionally(new IllegalStateException("a fault"));

        assertFails(answer, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void callerAndRemainingTimeAreSent() throws Exception {
        ForwardContext sent = context(Duration.ofSeconds(7));

        CompletionStage<AppendResult> answer = connected().put(LOG, put("s"), sent);
        Held asked = there.next();
        asked.answer().complete(stored(1));

        assertThat(result(answer).firstOffset()).isEqualTo(1);
        assertThat(asked.context().caller()).isEqualTo("alice");
        // One clock here: the way takes time, and adds none.
        assertThat(asked.context().deadlineNanos() - sent.deadlineNanos()).isBetween(0L, TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void requestPastItsDeadlineIsNotSent() throws Exception {
        CompletionStage<AppendResult> answer = connected().put(LOG, put("s"), context(Duration.ofNanos(-1)));

        assertFails(answer, ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void ownerIsToldThatAPutsClientWasNotAnswered() throws Exception {
        CountDownLatch reported = new CountDownLatch(1);

        CompletionStage<AppendResult> answer = connected().put(LOG, put("s"), context());
        there.next().answer().complete(new AppendResult(5, reported::countDown));
        assertThat(reported.getCount()).isOne();
        result(answer).unanswered().run();

        assertThat(reported.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void ownerIsToldThatAPutExpiredBeforeItWasStored() throws Exception {
        CountDownLatch reported = new CountDownLatch(1);

        CompletionStage<AppendResult> answer = reached().put(LOG, put("s"), context(SHORT));
        Held asked = there.next();
        assertFails(answer, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        asked.answer().complete(new AppendResult(5, reported::countDown));

        assertThat(reported.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void readsThatWaitHoldNoThread() throws Exception {
        PartitionRequests other = connected(); // one thread
        List<CompletionStage<Slice>> reads = new ArrayList<>();
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            reads.add(other.read(LOG, read(Duration.ofSeconds(20)), context()));
            held.add(there.next());
        }

        CompletionStage<AppendResult> put = other.put(LOG, put("s"), context());
        there.next().answer().complete(stored(4));

        assertThat(result(put).firstOffset()).isEqualTo(4);
        for (int i = 9; i >= 0; i--) { // answered in another order than asked
            held.get(i).answer().complete(new Slice(List.of(), i, 20));
            assertThat(result(reads.get(i)).startOffset()).isEqualTo(i);
        }
    }

    @Test
    void readThatWaitsEndsByItsDeadline() throws Exception {
        PartitionRequests other = reached();

        CompletionStage<Slice> late = other.read(LOG, read(Duration.ofSeconds(1)), context(SHORT));
        Held asked = there.next();
        assertFails(late, ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        asked.answer().complete(new Slice(List.of(), 1, 1)); // comes too late, and has no effect
        CompletionStage<Slice> next = other.read(LOG, read(Duration.ofSeconds(1)), context());
        there.next().answer().complete(new Slice(List.of(), 2, 2));

        assertThat(result(next).startOffset()).isEqualTo(2);
    }

    @Test
    void tooManyWaitingReadsAreRefused() throws Exception {
        PartitionRequests other = connected(); // ten may wait
        for (int i = 0; i < 10; i++) {
            var unused = other.read(LOG, read(Duration.ofSeconds(20)), context());
            there.next();
        }

        assertFails(
                other.read(LOG, read(Duration.ofSeconds(20)), context()),
                ErrorCode.EXCESSIVE_PENDING_MESSAGE,
                Effect.NONE);
        CompletionStage<Slice> ofBob = other.read(LOG, read(Duration.ofSeconds(20)), contextOf("bob"));
        there.next().answer().complete(new Slice(List.of(), 2, 2));
        assertThat(result(ofBob).startOffset()).isEqualTo(2);
    }

    private static ForwardContext contextOf(String user) {
        return new ForwardContext(user, context().deadlineNanos());
    }

    @Test
    void requestsOfOneUserLeaveMemoryToOthers() throws Exception {
        PartitionRequests other = connected();
        byte[] large = random(12 << 20);
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) { // of 64 MiB
            var unused = other.put(LOG, put("s", large), context());
            held.add(there.next());
        }

        assertFails(other.put(LOG, put("s", large), context()), ErrorCode.EXCESSIVE_PENDING_MESSAGE, Effect.NONE);
        CompletionStage<AppendResult> ofBob = other.put(LOG, put("s", large), contextOf("bob"));
        there.next().answer().complete(stored(3));

        assertThat(result(ofBob).firstOffset()).isEqualTo(3);
        held.forEach(each -> each.answer().complete(stored(1)));
        Awaitility.await().until(() -> fixture.memory.used() == 0);
    }

    @Test
    void endsAreAwaitedByOneRequest() throws Exception {
        PartitionRequests other = connected();
        LogId next = new LogId(LOG.topicId(), 4);

        CompletionStage<Set<LogId>> found = other.awaitAny(
                Map.of(LOG, 17L, next, 3L), Duration.ofSeconds(20).toNanos(), context());
        Held asked = there.next();
        asked.answer().complete(Set.of(next));

        assertThat(asked.subject()).isEqualTo(Map.of(LOG, 17L, next, 3L));
        assertThat(result(found)).containsExactly(next);
    }

    @Test
    void requestThatTheOtherServerHasNoMemoryForIsRefused() throws Exception {
        Transfer transfer = fixture.transfer(config(), TransferFixture.KEY, new MemoryBudget(64 << 20));
        PartitionRequests other = transfer.to(at("b", fixture.server(there).port()));
        long taken = fixture.memory.limit() - 1_000_000;
        assertThat(fixture.memory.tryReserve(taken)).isTrue();

        assertFails(
                other.put(LOG, put("s", random(2 << 20)), context()), ErrorCode.EXCESSIVE_PENDING_MESSAGE, Effect.NONE);
        CompletionStage<AppendResult> small = other.put(LOG, put("s"), context());
        there.next().answer().complete(stored(3));

        assertThat(result(small).firstOffset()).isEqualTo(3);
        Awaitility.await().until(() -> fixture.memory.used() == taken);
    }

    @Test
    void memoryIsReleased() throws Exception {
        PartitionRequests other = connected();

        CompletionStage<AppendResult> put = other.put(LOG, put("s", random(2 << 20)), context());
        Held asked = there.next();
        assertThat(fixture.memory.used()).isGreaterThan(2 << 20);
        asked.answer().complete(stored(3));
        result(put);
        CompletionStage<Slice> read = other.read(LOG, read(Duration.ZERO), context());
        there.next().answer().complete(new Slice(List.of(block(1, random(2 << 20))), 0, 2));
        result(read);

        Awaitility.await().until(() -> fixture.memory.used() == 0);
    }

    @Test
    void tooLargePutIsRefusedHere() throws Exception {
        PartitionRequests other = connected();

        assertFails(other.put(LOG, put("s", new byte[17 << 20]), context()), ErrorCode.REQUEST_TOO_LARGE, Effect.NONE);
        CompletionStage<AppendResult> next = other.put(LOG, put("s"), context());
        there.next().answer().complete(stored(3));

        assertThat(result(next).firstOffset()).isEqualTo(3);
    }

    @Test
    void restartOfTheOtherServerIsNoticedBeforeAPutIsWritten() throws Exception {
        TransferServer before = fixture.server(there);
        int port = before.port();
        PartitionRequests other = fixture.transfer(config()).to(at("b", port));
        CompletionStage<AppendResult> first = other.put(LOG, put("1"), context());
        there.next().answer().complete(stored(1));
        result(first);

        before.close();
        HeldRequests restarted = new HeldRequests();
        var unused = fixture.server(port, restarted);
        CompletionStage<AppendResult> second = other.put(LOG, put("2"), context());
        restarted.next().answer().complete(stored(2));

        assertThat(result(second).firstOffset()).isEqualTo(2);
    }

    @Test
    void serverThatStopsAnswersThePutsThatItHas() throws Exception {
        TransferServer server = fixture.server(there);
        PartitionRequests other = fixture.transfer(config()).to(at("b", server.port()));
        CompletionStage<AppendResult> taken = other.put(LOG, put("1"), context());
        Held asked = there.next();

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
        Awaitility.await().until(() -> {
            try { // a put that comes now is refused, without effect
                result(other.put(LOG, put("2"), context(Duration.ofMillis(100))));
                return false;
            } catch (ExecutionException e) {
                return e.getCause() instanceof TalosException failure
                        && failure.code() == ErrorCode.PARTITION_NOT_SERVING
                        && failure.effect() == Effect.NONE;
            }
        });
        asked.answer().complete(stored(1));
        there.answerHeld(stored(2)); // those that were sent before it stopped

        assertThat(result(taken).firstOffset()).isEqualTo(1);
        result(stopped);
    }

    @Test
    void closedTransferFailsEverythingOnce() throws Exception {
        Transfer transfer = fixture.transfer(config());
        PartitionRequests other = transfer.to(at("b", fixture.server(there).port()));
        CompletionStage<Slice> waiting = other.read(LOG, read(Duration.ofSeconds(20)), context());
        there.next();
        CompletionStage<AppendResult> written = other.put(LOG, put("1"), context());
        there.next();

        transfer.close();
        transfer.close();

        assertFails(written, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        assertFails(waiting, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFails(other.put(LOG, put("3"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFails(
                transfer.to(at("c", 1)).put(LOG, put("4"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void keyIsNotPrinted() {
        String secret = "a key that all the servers share";

        assertThat(new TransferKey(secret.getBytes(UTF_8)).toString()).doesNotContain(secret);
    }
}
