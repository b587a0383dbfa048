// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.at;
import static org.talos.server.transfer.TransferFixture.config;
import static org.talos.server.transfer.TransferFixture.context;
import static org.talos.server.transfer.TransferFixture.failure;
import static org.talos.server.transfer.TransferFixture.put;
import static org.talos.server.transfer.TransferFixture.read;
import static org.talos.server.transfer.TransferFixture.result;
import static org.talos.server.transfer.TransferFixture.stored;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.talos.common.error.Effect;
import org.talos.devcluster.FreePorts;
import org.talos.server.log.Slice;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.transfer.HeldRequests;
import org.talos.server.transfer.MisbehavingServer;
import org.talos.server.transfer.TransferFixture;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Handshake;
import org.talos.server.transfer.wire.TransferKey;
import org.talos.thrift.ErrorCode;

/** Tests how requests to a server that is gone or misbehaves end, over real sockets. Side by side, since most wait. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class TransferFaultsTest {
    private static final Duration SHORT = Duration.ofSeconds(3); // enough to connect on a machine that is busy

    private static final Duration BRIEF = Duration.ofMillis(300); // to wait for a server that proves nothing

    private final TransferFixture fixture = new TransferFixture();
    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        over.countDown();
        fixture.close();
    }

    private void awaitEnd() {
        try {
            over.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private MisbehavingServer misbehaving(MisbehavingServer.Behavior behavior) throws IOException {
        return fixture.keep(new MisbehavingServer(behavior));
    }

    private PartitionRequests to(int port) throws IOException {
        return fixture.transfer(config()).to(at("b", port));
    }

    private PartitionRequests toSilent(MisbehavingServer server) throws IOException {
        return fixture.transfer(config(BRIEF)).to(at("b", server.port()));
    }

    @Test
    void requestToAServerThatIsGoneHasNoEffect() throws Exception {
        PartitionRequests gone = to(FreePorts.next());

        assertFails(gone.put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFails(
                gone.read(LOG, read(Duration.ofSeconds(1)), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void serverThatWasGoneIsReachedAgain() throws Exception {
        int port = FreePorts.next();
        PartitionRequests other = to(port);
        for (int i = 0; i < 2 * Breaker.FAILURES; i++) {
            assertFails(other.put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        }
        HeldRequests back = new HeldRequests();
        var unused = fixture.server(port, back);

        Awaitility.await().until(() -> {
            CompletionStage<AppendResult> answer = other.put(LOG, put("s"), context(SHORT));
            Awaitility.await().until(() -> {
                back.answerHeld(stored(5));
                return answer.toCompletableFuture().isDone();
            });
            return !answer.toCompletableFuture().isCompletedExceptionally();
        });
    }

    @Test
    void afterSomeFailuresRequestsFailAtOnce() throws Exception {
        MisbehavingServer silent = misbehaving(MisbehavingServer.Peer::waitForEnd);
        PartitionRequests other = toSilent(silent);
        for (int i = 0; i < Breaker.FAILURES; i++) {
            assertFails(other.put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        }

        CompletionStage<AppendResult> next = other.put(LOG, put("s"), context());

        assertThat(next.toCompletableFuture()).isCompletedExceptionally(); // at once, on this thread
        assertFails(next, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        Awaitility.await().until(() -> silent.accepted() >= Breaker.FAILURES);
        assertThat(silent.accepted()).isEqualTo(Breaker.FAILURES);
    }

    @Test
    void connectionFailsIfTheServerSendsNoHello() throws Exception {
        MisbehavingServer silent = misbehaving(MisbehavingServer.Peer::waitForEnd);

        assertFails(toSilent(silent).put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void putThatIsNeverAnsweredIsUnknown() throws Exception {
        MisbehavingServer silent = misbehaving(peer -> {
            peer.handshake();
            peer.waitForEnd();
        });
        PartitionRequests other = to(silent.port());

        CompletionStage<AppendResult> put = other.put(LOG, put("s"), context(SHORT));
        CompletionStage<Slice> read = other.read(LOG, read(Duration.ZERO), context(SHORT));
        CompletionStage<Slice> longPoll = other.read(LOG, read(Duration.ofMillis(100)), context(SHORT));

        assertFails(put, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        assertFails(read, ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        assertFails(longPoll, ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
    }

    @Test
    void putThatIsNeverAnsweredIsReportedToItsServer() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        MisbehavingServer silent = misbehaving(peer -> {
            peer.handshake();
            peer.nextRequest();
            requests.incrementAndGet();
            peer.waitForEnd();
        });

        assertFails(
                to(silent.port()).put(LOG, put("s"), context(SHORT)), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);

        Awaitility.await().until(() -> requests.get() == 2); // the put, and by another connection the report
    }

    @Test
    void serverThatReadsNothingHoldsNoThreadPastTheDeadline() throws Exception {
        MisbehavingServer stuffed = misbehaving(peer -> {
            peer.handshake();
            awaitEnd();
        });
        PartitionRequests other = to(stuffed.port());
        byte[] large = new byte[15 << 20]; // more than what sockets hold

        for (int i = 0; i < 2; i++) {
            ForwardContext both = context(SHORT); // a later one would have the rest of its time on a new connection
            CompletionStage<AppendResult> written = other.put(LOG, put("s", large), both);
            CompletionStage<AppendResult> queued = other.put(LOG, put("s", large), both);

            assertFails(written, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
            assertFails(queued, ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        }
    }

    /** Its effect depends on whether the receiver of answers has found the connection closed before it is written. */
    @Test
    void putThatIsQueuedEndsWhenItsTransferCloses() throws Exception {
        MisbehavingServer stuffed = misbehaving(peer -> {
            peer.handshake();
            awaitEnd();
        });
        Transfer transfer = fixture.transfer(config());
        PartitionRequests other = transfer.to(at("b", stuffed.port()));
        var unused = other.put(LOG, put("s", new byte[15 << 20]), context()); // more than what sockets hold
        Awaitility.await().until(() -> stuffed.accepted() == 1);
        CompletionStage<AppendResult> queued = other.put(LOG, put("s"), context());

        transfer.close();

        assertThat(failure(queued).code()).isNotEqualTo(ErrorCode.REQUEST_PROCESS_TIMEOUT);
    }

    @Test
    void requestToAServerOfAnotherProtocolHasNoEffect() throws Exception {
        MisbehavingServer other = misbehaving(peer -> {
            peer.send("HTTP/1.1 400 Bad Request\r\n\r\n and whatever else a web server would say".getBytes(US_ASCII));
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThatThrownBy(() -> connect(other.port())).hasMessage("not a transfer connection of a Talos server");
    }

    private ClientConnection connect(int port) throws IOException {
        return ClientConnection.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                channel -> () -> {},
                1 << 20,
                new MemoryBudget(1 << 20),
                new ClientConnection.Identity(TransferFixture.KEY, fixture.tls(config().tls())),
                TransferFixture.TICKER);
    }

    @Test
    void otherVersionIsRefusedByName() throws Exception {
        MisbehavingServer newer = misbehaving(peer -> {
            byte[] hello = Handshake.hello(false);
            ByteBuffer.wrap(hello).putInt(8, 3);
            peer.send(hello);
            peer.waitForEnd();
        });

        assertFails(to(newer.port()).put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThatThrownBy(() -> connect(newer.port())).hasMessage("transfer version: 3 (expected: 1)");
    }

    @Test
    void serverWithoutTheKeyIsSentNothing() throws Exception {
        HeldRequests there = new HeldRequests();
        int port = fixture.server(there).port();
        Transfer stranger = fixture.transfer(
                config(), new TransferKey("another key, which no server has".getBytes(US_ASCII)), fixture.memory);

        assertFails(
                stranger.to(at("b", port)).put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void serverThatCannotProveTheKeyIsSentNothing() throws Exception {
        MisbehavingServer pretender = misbehaving(peer -> {
            peer.send(Handshake.hello(false));
            peer.receive(Handshake.REPLY_BYTES);
            peer.send(new byte[Handshake.PROOF_BYTES]);
            peer.waitForEnd();
        });

        assertFails(to(pretender.port()).put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThatThrownBy(() -> connect(pretender.port())).hasMessage("the other server has another transfer key");
    }

    @Test
    void answerWithAWrongMacLeavesAPutUnknown() throws Exception {
        MisbehavingServer other = misbehaving(peer -> {
            peer.handshake();
            byte[] answer = peer.stored(peer.nextRequest(), 7);
            answer[answer.length - 3]++;
            peer.send(answer);
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), context()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void connectionThatEndsInMidAnswerLeavesAPutUnknown() throws Exception {
        MisbehavingServer other = misbehaving(peer -> {
            peer.handshake();
            byte[] answer = peer.stored(peer.nextRequest(), 7);
            peer.send(Arrays.copyOf(answer, answer.length - 1));
        });

        assertFails(to(other.port()).put(LOG, put("s"), context()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void readWhoseConnectionEndsHasNoEffect() throws Exception {
        MisbehavingServer other = misbehaving(peer -> {
            peer.handshake();
            peer.nextRequest();
        });
        PartitionRequests to = to(other.port());

        assertFails(to.read(LOG, read(Duration.ZERO), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFails(to.read(LOG, read(Duration.ofSeconds(9)), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void answerOfAnImpossibleLengthIsRefused() throws Exception {
        MisbehavingServer other = misbehaving(peer -> {
            peer.handshake();
            long id = peer.nextRequest();
            peer.send(ByteBuffer.allocate(Frame.HEADER_BYTES)
                    .putInt(Integer.MAX_VALUE)
                    .putLong(id)
                    .array());
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), context()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        assertThat(fixture.memory.used()).isZero();
    }

    @Test
    void answerToAnotherRequestIsRefused() throws Exception {
        MisbehavingServer other = misbehaving(peer -> {
            peer.handshake();
            peer.send(peer.stored(peer.nextRequest() + 1, 7));
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), context()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void answerAfterTheDeadlineIsNotTakenForTheNext() throws Exception {
        HeldRequests there = new HeldRequests();
        PartitionRequests other = to(fixture.server(there).port());

        CompletionStage<AppendResult> late = other.put(LOG, put("late"), context(SHORT));
        HeldRequests.Held asked = there.next();
        assertFails(late, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        asked.answer().complete(stored(1));
        CompletionStage<AppendResult> next = other.put(LOG, put("next"), context());
        there.next().answer().complete(stored(2));

        assertThat(result(next).firstOffset()).isEqualTo(2);
    }
}
