// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.talos.server.transfer.TransferFixture.KEY;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.TICKER;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.context;
import static org.talos.server.transfer.TransferFixture.read;
import static org.talos.server.transfer.TransferFixture.result;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.log.Slice;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.transfer.HeldRequests;
import org.talos.server.transfer.TransferFixture;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

@Timeout(60)
class SharedRequestsTest {
    private final TransferFixture fixture = new TransferFixture();

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private SharedRequests to(TransferServer server) throws IOException {
        return to(server, new NamedThreads("transfer-waiting"));
    }

    private SharedRequests to(TransferServer server, ThreadFactory threads) throws IOException {
        ClientConnection.Identity identity = new ClientConnection.Identity(KEY, fixture.tls(TransferFixture.NO_TLS));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
        ServerConnections connections = fixture.keep(new ServerConnections(
                "b",
                new Breaker(TICKER),
                () -> ClientConnection.connect(
                        address, channel -> () -> {}, 16 << 20, fixture.memory, identity, TICKER)));
        return new SharedRequests(
                connections, new TransferParts(16 << 20, 10, fixture.memory, fixture.timers, TICKER), threads);
    }

    private static PendingRequest<Slice> pending() {
        return new PendingRequest<>(Request.read(LOG, read(Duration.ofSeconds(20))), context());
    }

    @Test
    void readThatIsOverBeforeItIsWrittenEndsNoOther() throws Exception {
        HeldRequests held = new HeldRequests();
        SharedRequests reads = to(fixture.server(held));
        PendingRequest<Slice> waiting = pending();
        reads.send(waiting, null);
        HeldRequests.Held asked = held.next();
        PendingRequest<Slice> late = pending();
        late.expired();

        reads.send(late, null);

        Slice answer = new Slice(List.of(), 3, 17);
        assertThat(asked.answer().complete(answer)).isTrue();
        assertThat(result(waiting.answer())).isEqualTo(answer);
    }

    @Test
    void readThatIsOverOnceItIsWrittenEndsNoOther() throws Exception {
        HeldRequests held = new HeldRequests();
        SharedRequests reads = to(fixture.server(held));
        PendingRequest<Slice> waiting = pending();
        reads.send(waiting, null);
        HeldRequests.Held asked = held.next();
        PendingRequest<Slice> late = pending();
        reads.send(late, null);
        assertThat(held.next().answer()).isNotDone();

        late.expired();

        Slice answer = new Slice(List.of(), 3, 17);
        assertThat(asked.answer().complete(answer)).isTrue();
        assertThat(result(waiting.answer())).isEqualTo(answer);
    }

    @Test
    void readWhoseTimeIsOverIsNotSent() throws Exception {
        HeldRequests held = new HeldRequests();
        SharedRequests reads = to(fixture.server(held));
        PendingRequest<Slice> late =
                new PendingRequest<>(Request.read(LOG, read(Duration.ofSeconds(20))), context(Duration.ZERO));

        reads.send(late, null);
        assertThat(late.answer()).as("without the other server").isDone();
        PendingRequest<Slice> next = pending();
        reads.send(next, null);

        assertFails(late.answer(), ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        HeldRequests.Held asked = held.next();
        assertThat(held.nothingAsked()).isTrue();
        Slice answer = new Slice(List.of(), 3, 17);
        assertThat(asked.answer().complete(answer)).isTrue();
        assertThat(result(next.answer())).isEqualTo(answer);
    }

    @Test
    void connectionWhoseAnswersNobodyCanReceiveIsClosedAndTakesNoRequest() throws Exception {
        HeldRequests held = new HeldRequests();
        TransferServer server = fixture.server(held);
        NamedThreads real = new NamedThreads("transfer-waiting");
        AtomicBoolean lacking = new AtomicBoolean(true);
        SharedRequests reads = to(server, work -> lacking.get() ? new UnstartedThread() : real.newThread(work));

        Throwable failure = catchThrowable(() -> reads.send(pending(), null));
        assertThat(reads.isConnected()).isFalse();
        assertThat(failure).isInstanceOf(IOException.class);
        await().until(() -> server.connections() == 0);
        lacking.set(false);
        PendingRequest<Slice> next = pending();
        reads.send(next, null);

        Slice answer = new Slice(List.of(), 3, 17);
        assertThat(held.next().answer().complete(answer)).isTrue();
        assertThat(result(next.answer())).isEqualTo(answer);
    }

    /** A thread of a system that has no thread left. Thread-safe. */
    private static final class UnstartedThread extends Thread {
        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread: made to fail");
        }
    }
}
