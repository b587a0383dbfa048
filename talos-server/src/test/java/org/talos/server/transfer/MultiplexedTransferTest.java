// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.at;
import static org.talos.server.transfer.TransferFixture.config;
import static org.talos.server.transfer.TransferFixture.context;
import static org.talos.server.transfer.TransferFixture.put;
import static org.talos.server.transfer.TransferFixture.read;
import static org.talos.server.transfer.TransferFixture.result;
import static org.talos.server.transfer.TransferFixture.stored;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.log.Slice;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.transfer.HeldRequests.Held;
import org.talos.server.transfer.client.Transfer;
import org.talos.thrift.ErrorCode;

/** Tests the consequences of one connection for all requests to a server. */
@Timeout(60)
class MultiplexedTransferTest {
    private static final int MANY = 20;

    private final TransferFixture fixture = new TransferFixture();
    private final HeldRequests there = new HeldRequests();

    @AfterEach
    void close() throws Exception {
        there.close();
        fixture.close();
    }

    private Transfer transfer() throws Exception {
        return fixture.transfer(config(0, 2 * MANY)); // half for each user
    }

    private PartitionRequests connected() throws Exception {
        return transfer().to(at("b", fixture.server(there).port()));
    }

    @Test
    void answersComeInAnyOrderToTheirRequests() throws Exception {
        PartitionRequests other = connected();
        List<CompletionStage<AppendResult>> answers = new ArrayList<>();
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            answers.add(other.put(LOG, put("sequence-" + i), context()));
            held.add(there.next());
        }

        for (int i = MANY - 1; i >= 0; i--) {
            held.get(i).answer().complete(stored(i));
            assertThat(result(answers.get(i)).firstOffset()).isEqualTo(i);
        }
    }

    @Test
    void requestsBeyondTheBoundAreRefused() throws Exception {
        PartitionRequests other = connected();
        List<Held> held = new ArrayList<>();
        List<CompletionStage<AppendResult>> taken = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            taken.add(other.put(LOG, put("s"), context()));
            held.add(there.next());
        }

        assertFails(other.put(LOG, put("s"), context()), ErrorCode.EXCESSIVE_PENDING_MESSAGE, Effect.NONE);
        taken.add(other.put(LOG, put("s"), new ForwardContext("bob", context().deadlineNanos())));
        held.add(there.next());

        held.forEach(each -> each.answer().complete(stored(1)));
        for (CompletionStage<AppendResult> each : taken) {
            assertThat(result(each).firstOffset()).isEqualTo(1);
        }
    }

    @Test
    void tooLargePutIsRefusedHereAndEndsNoOther() throws Exception {
        PartitionRequests other = connected();
        CompletionStage<AppendResult> before = other.put(LOG, put("s"), context());
        Held held = there.next();

        assertFails(other.put(LOG, put("s", new byte[17 << 20]), context()), ErrorCode.REQUEST_TOO_LARGE, Effect.NONE);

        held.answer().complete(stored(3));
        assertThat(result(before).firstOffset()).isEqualTo(3);
    }

    @Test
    void connectionThatEndsLeavesItsPutsUnknownAndItsReadsUndone() throws Exception {
        Transfer transfer = transfer();
        PartitionRequests other = transfer.to(at("b", fixture.server(there).port()));
        CompletionStage<AppendResult> put = other.put(LOG, put("s"), context());
        Held asked = there.next();
        CompletionStage<Slice> read = other.read(LOG, read(Duration.ZERO), context());
        Held askedToo = there.next();

        transfer.close();

        assertFails(put, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        assertFails(read, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(asked.answer()).isNotDone();
        assertThat(askedToo.answer()).isNotDone();
    }

    @Test
    void slowServerDelaysNoRequestToOthers() throws Exception {
        HeldRequests slow = new HeldRequests();
        Transfer transfer = transfer();
        PartitionRequests toSlow = transfer.to(at("slow", fixture.server(slow).port()));
        List<CompletionStage<AppendResult>> stuck = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            stuck.add(toSlow.put(LOG, put("slow"), context()));
        }

        CompletionStage<AppendResult> answer =
                transfer.to(at("b", fixture.server(there).port())).put(LOG, put("b"), context());
        there.next().answer().complete(stored(8));

        assertThat(result(answer).firstOffset()).isEqualTo(8);
        assertThat(stuck).noneMatch(each -> each.toCompletableFuture().isDone());
        for (int i = 0; i < MANY; i++) {
            slow.next().answer().complete(stored(i));
        }
    }

    @Test
    void serversHaveThreadsOfTheirOwn() throws Exception {
        Transfer transfer = transfer();
        List<String> threads = new ArrayList<>();

        for (String id : List.of("b", "c")) {
            HeldRequests requests = new HeldRequests();
            CompletableFuture<String> thread = transfer.to(
                            at(id, fixture.server(requests).port()))
                    .put(LOG, put(id), context())
                    .thenApply(done -> Thread.currentThread().getName())
                    .toCompletableFuture();
            requests.next().answer().complete(stored(8));
            threads.add(result(thread));
        }

        assertThat(threads).containsExactly("talos-transfer-answers-b-0", "talos-transfer-answers-c-0");
    }

    @Test
    void silentConnectionGetsNoFurtherRequestsAndIsStillHeard() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        CountDownLatch silence = new CountDownLatch(1);
        CountDownLatch recovered = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        MisbehavingServer silent = fixture.keep(new MisbehavingServer(peer -> {
            peer.handshake();
            if (connections.getAndIncrement() > 0) {
                peer.send(peer.stored(peer.nextRequest(), 9));
                peer.waitForEnd();
                return;
            }
            long put = peer.nextRequest();
            silence.countDown();
            await(recovered);
            peer.send(peer.stored(put, 7));
            peer.waitForEnd();
            ended.countDown();
        }));
        PartitionRequests other = transfer().to(at("b", silent.port()));
        CompletionStage<AppendResult> owed = other.put(LOG, put("1"), context());
        await(silence);
        assertFails(
                other.read(LOG, read(Duration.ZERO), context(Duration.ofMillis(1_500))),
                ErrorCode.REQUEST_PROCESS_TIMEOUT,
                Effect.NONE);

        CompletionStage<AppendResult> next = other.put(LOG, put("2"), context());

        assertThat(result(next).firstOffset()).isEqualTo(9);
        assertThat(owed.toCompletableFuture()).isNotDone();
        recovered.countDown();
        assertThat(result(owed).firstOffset()).isEqualTo(7);
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue(); // closed, as nothing is owed on it any more
    }

    /** A client that sends slowly leaves its put little time for the way to another server. */
    @Test
    void largePutThatIsLateWhileItIsWrittenEndsNoOther() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch late = new CountDownLatch(1);
        MisbehavingServer slow = fixture.keep(new MisbehavingServer(peer -> {
            peer.handshake();
            long put = peer.nextRequest();
            asked.countDown();
            peer.receive(1 << 20);
            await(late);
            peer.receive(14 << 20); // the rest but for the last
            peer.send(peer.stored(put, 7));
            peer.waitForEnd();
        }));
        PartitionRequests other = transfer().to(at("b", slow.port()));
        CompletionStage<AppendResult> owed = other.put(LOG, put("small"), context());
        await(asked);

        assertFails(
                other.put(LOG, put("large", new byte[15 << 20]), context(Duration.ofMillis(500))),
                ErrorCode.INTERNAL_SERVER_ERROR,
                Effect.UNKNOWN);
        late.countDown();

        assertThat(result(owed).firstOffset()).isEqualTo(7);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void answerThatThereIsNoMemoryForEndsItsRequestAlone() throws Exception {
        Transfer transfer = fixture.transfer(config(0, MANY), TransferFixture.KEY, new MemoryBudget(1 << 20));
        PartitionRequests other = transfer.to(at("b", fixture.server(there).port()));
        CompletionStage<AppendResult> put = other.put(LOG, put("s"), context());
        Held held = there.next();
        CompletionStage<Slice> read = other.read(LOG, read(Duration.ZERO), context());
        Held large = there.next();

        large.answer().complete(new Slice(List.of(TransferFixture.block(17, new byte[3 << 20])), 3, 18));

        assertFails(read, ErrorCode.EXCESSIVE_PENDING_MESSAGE, Effect.NONE);
        held.answer().complete(stored(5));
        assertThat(result(put).firstOffset()).isEqualTo(5);
    }
}
