// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.transfer.Ends.LOG;
import static org.talos.server.transfer.Ends.assertFails;
import static org.talos.server.transfer.Ends.at;
import static org.talos.server.transfer.Ends.config;
import static org.talos.server.transfer.Ends.hop;
import static org.talos.server.transfer.Ends.put;
import static org.talos.server.transfer.Ends.read;
import static org.talos.server.transfer.Ends.result;
import static org.talos.server.transfer.Ends.stored;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.transfer.client.Breaker;
import org.talos.server.transfer.client.Client;
import org.talos.server.transfer.client.Transfer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Greeting;
import org.talos.server.transfer.wire.TransferKey;
import org.talos.thrift.ErrorCode;

/** What is said of a request to a server that is not as it should be, over real sockets. */
@Timeout(60)
class TransferFaultsTest {
    private static final Duration SHORT = Duration.ofMillis(1_500); // enough to connect on a machine that is busy

    private final Ends ends = new Ends();
    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        over.countDown();
        ends.close();
    }

    private void awaitEnd() {
        try {
            over.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private OddServer odd(OddServer.Behaviour behaviour) throws IOException {
        return ends.keep(new OddServer(behaviour));
    }

    private PartitionRequests to(int port) {
        return ends.transfer(config()).to(at("b", port));
    }

    private static int nobodysPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void serverThatIsGoneMeansThatNothingHappened() throws Exception {
        PartitionRequests gone = to(nobodysPort());

        assertFails(gone.put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFails(gone.read(LOG, read(Duration.ofSeconds(1)), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void serverThatWasGoneIsFoundAgain() throws Exception {
        int port = nobodysPort();
        PartitionRequests other = to(port);
        for (int i = 0; i < 2 * Breaker.FAILURES; i++) {
            assertFails(other.put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        }
        HeldRequests back = new HeldRequests();
        var unused = ends.server(port, back);

        Awaitility.await().until(() -> {
            CompletionStage<AppendResult> answer = other.put(LOG, put("s"), hop(SHORT));
            Awaitility.await().until(() -> {
                back.answerHeld(stored(5));
                return answer.toCompletableFuture().isDone();
            });
            return !answer.toCompletableFuture().isCompletedExceptionally();
        });
    }

    @Test
    void afterSomeFailuresNobodyTriesAndNobodyWaits() throws Exception {
        OddServer silent = odd(OddServer.Peer::waitForEnd);
        PartitionRequests other = to(silent.port());
        for (int i = 0; i < Breaker.FAILURES; i++) {
            assertFails(other.put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        }

        CompletionStage<AppendResult> next = other.put(LOG, put("s"), hop());

        assertThat(next.toCompletableFuture()).isCompletedExceptionally(); // at once, on this thread
        assertFails(next, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(silent.accepted()).isEqualTo(Breaker.FAILURES);
    }

    @Test
    void serverThatNeverGreetsIsGivenUp() throws Exception {
        OddServer silent = odd(OddServer.Peer::waitForEnd);

        assertFails(to(silent.port()).put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void serverThatTakesAPutAndSaysNothingLeavesItUnknown() throws Exception {
        OddServer silent = odd(peer -> {
            peer.greet();
            peer.waitForEnd();
        });
        PartitionRequests other = to(silent.port());

        assertFails(other.put(LOG, put("s"), hop(SHORT)), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        assertFails(other.read(LOG, read(Duration.ZERO), hop(SHORT)), ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        assertFails(
                other.read(LOG, read(Duration.ofMillis(100)), hop(SHORT)),
                ErrorCode.REQUEST_PROCESS_TIMEOUT,
                Effect.NONE);
    }

    @Test
    void serverThatReadsNothingDoesNotKeepItsThreads() throws Exception {
        OddServer stuffed = odd(peer -> {
            peer.greet();
            awaitEnd();
        });
        PartitionRequests other = to(stuffed.port()); // four threads

        for (int i = 0; i < 2; i++) { // each put is larger than what sockets hold
            List<CompletionStage<AppendResult>> puts = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                puts.add(other.put(LOG, put("s", new byte[15 << 20]), hop(SHORT)));
            }
            puts.forEach(each -> assertFails(each, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN));
        }
    }

    @Test
    void garbageInsteadOfAGreetingMeansThatNothingHappened() throws Exception {
        OddServer other = odd(peer -> {
            peer.say("HTTP/1.1 400 Bad Request\r\n\r\n and whatever else a web server would say".getBytes(US_ASCII));
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThatThrownBy(() -> connect(other.port())).hasMessage("not a transfer connection of a Talos server");
    }

    private Client connect(int port) throws IOException {
        return Client.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                channel -> () -> {},
                1 << 20,
                new MemoryBudget(1 << 20),
                Ends.KEY);
    }

    @Test
    void otherVersionIsRefusedByName() throws Exception {
        OddServer newer = odd(peer -> {
            byte[] hello = Greeting.hello();
            ByteBuffer.wrap(hello).putInt(8, 2);
            peer.say(hello);
            peer.waitForEnd();
        });

        assertFails(to(newer.port()).put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThatThrownBy(() -> connect(newer.port())).hasMessage("transfer version: 2 (expected: 1)");
    }

    @Test
    void serverWithoutTheKeyIsSentNothing() throws Exception {
        HeldRequests there = new HeldRequests();
        int port = ends.server(there).port();
        Transfer stranger = ends.transfer(
                config(), new TransferKey("another key, which no server has".getBytes(US_ASCII)), ends.memory);

        assertFails(stranger.to(at("b", port)).put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void serverThatCannotProveTheKeyIsSentNothing() throws Exception {
        OddServer pretender = odd(peer -> {
            peer.say(Greeting.hello());
            peer.hear(Greeting.REPLY_BYTES);
            peer.say(new byte[Greeting.PROOF_BYTES]);
            peer.waitForEnd();
        });

        assertFails(to(pretender.port()).put(LOG, put("s"), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThatThrownBy(() -> connect(pretender.port())).hasMessage("the other server has another transfer key");
    }

    @Test
    void answerWithoutItsSealLeavesAPutUnknown() throws Exception {
        OddServer other = odd(peer -> {
            peer.greet();
            byte[] answer = peer.stored(peer.nextRequest(), 7);
            answer[answer.length - 3]++;
            peer.say(answer);
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), hop()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void connectionThatEndsInMidAnswerLeavesAPutUnknown() throws Exception {
        OddServer other = odd(peer -> {
            peer.greet();
            byte[] answer = peer.stored(peer.nextRequest(), 7);
            peer.say(Arrays.copyOf(answer, answer.length - 1));
        });

        assertFails(to(other.port()).put(LOG, put("s"), hop()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void connectionThatEndsUnderAReadMeansThatNothingHappened() throws Exception {
        OddServer other = odd(peer -> {
            peer.greet();
            peer.nextRequest();
        });
        PartitionRequests to = to(other.port());

        assertFails(to.read(LOG, read(Duration.ZERO), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFails(to.read(LOG, read(Duration.ofSeconds(9)), hop()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void answerThatSaysItIsHugeIsNotBelieved() throws Exception {
        OddServer other = odd(peer -> {
            peer.greet();
            long id = peer.nextRequest();
            peer.say(ByteBuffer.allocate(Frame.HEAD_BYTES)
                    .putInt(Integer.MAX_VALUE)
                    .putLong(id)
                    .array());
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), hop()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        assertThat(ends.memory.used()).isZero();
    }

    @Test
    void answerToAnotherRequestIsNotTaken() throws Exception {
        OddServer other = odd(peer -> {
            peer.greet();
            peer.say(peer.stored(peer.nextRequest() + 1, 7));
            peer.waitForEnd();
        });

        assertFails(to(other.port()).put(LOG, put("s"), hop()), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void answerBehindTheDeadlineIsNobodyElses() throws Exception {
        HeldRequests there = new HeldRequests();
        PartitionRequests other = to(ends.server(there).port());

        CompletionStage<AppendResult> late = other.put(LOG, put("late"), hop(SHORT));
        HeldRequests.Held asked = there.next();
        assertFails(late, ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
        asked.answer().complete(stored(1));
        CompletionStage<AppendResult> next = other.put(LOG, put("next"), hop());
        there.next().answer().complete(stored(2));

        assertThat(result(next).firstOffset()).isEqualTo(2);
    }
}
