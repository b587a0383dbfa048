// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.put;
import static org.talos.server.transfer.TransferFixture.stored;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.transfer.HeldRequests.Held;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Handshake;
import org.talos.server.transfer.wire.Request;
import org.talos.server.transfer.wire.TransferKey;

/** Tests how the transfer port treats bytes that no Talos server sends. */
@Timeout(60)
class TransferServerTest {
    private final TransferFixture fixture = new TransferFixture();
    private final HeldRequests there = new HeldRequests();
    private @Nullable TransferServer server;
    private int port;

    @BeforeEach
    void open() throws Exception {
        TransferServer opened = fixture.server(there);
        server = opened;
        port = opened.port();
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    /** The requesting side of a connection, byte by byte. Confined: one test. */
    private final class Raw implements AutoCloseable {
        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        private final DataInputStream in = new DataInputStream(socket.getInputStream());
        private final OutputStream out = socket.getOutputStream();
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private final Handshake handshake;
        private final FrameMac requests;

        Raw(TransferKey key) throws IOException {
            handshake = Handshake.ofHello(in.readNBytes(Handshake.HELLO_BYTES), key);
            requests = handshake.requests();
            send(handshake.reply());
        }

        Raw() throws IOException {
            this(TransferFixture.KEY);
            handshake.checkServer(in.readNBytes(Handshake.PROOF_BYTES));
        }

        void send(byte[] bytes) throws IOException {
            sent.writeBytes(bytes);
            out.write(bytes);
        }

        byte[] request(long id) throws Exception {
            return framed(id, Request.put(LOG, put("s")).message(id, "alice", 20_000_000_000L));
        }

        byte[] framed(long id, List<ByteBuffer> message) {
            ByteArrayOutputStream frame = new ByteArrayOutputStream();
            append(frame, requests.header(id, message));
            message.forEach(each -> append(frame, each));
            return frame.toByteArray();
        }

        private static void append(ByteArrayOutputStream all, ByteBuffer more) {
            byte[] bytes = new byte[more.remaining()];
            more.duplicate().get(bytes);
            all.writeBytes(bytes);
        }

        long answered() throws IOException {
            ByteBuffer head = ByteBuffer.wrap(in.readNBytes(Frame.HEADER_BYTES));
            in.skipNBytes(head.getInt() - Frame.HEADER_BYTES + Integer.BYTES);
            return head.getLong();
        }

        /** The server ends the connection without sending anything more. */
        void assertEnded() throws IOException {
            try {
                assertThat(in.read()).isEqualTo(-1);
            } catch (SocketException e) {
                assertThat(e).hasMessageContaining("reset"); // it had not read all
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void connectionWithAnotherKeyIsClosed() throws Exception {
        try (Raw stranger = new Raw(new TransferKey("another key, which no server has".getBytes(US_ASCII)))) {
            stranger.send(stranger.request(1));

            stranger.assertEnded();
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void connectionThatSendsNothingIsClosed() throws Exception {
        TransferServer impatient = fixture.server(TransferFixture.config(Duration.ofMillis(300)), there);
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), impatient.port())) {
            assertThat(silent.getInputStream().readNBytes(Handshake.HELLO_BYTES + 1))
                    .hasSize(Handshake.HELLO_BYTES); // and then the end
        }
    }

    @Test
    void silentConnectionsKeepNoServerOutAndEndNoneThatHasProvedTheKey() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (Raw earlier = new Raw()) {
            for (int i = 0; i < 1_001; i++) { // one more than may be open without a proof
                silent.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            try (Raw later = new Raw()) {
                assertServed(later);
            }
            assertServed(earlier);
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    private void assertServed(Raw peer) throws Exception {
        peer.send(peer.request(1));
        there.next().answer().complete(stored(1));
        assertThat(peer.answered()).isEqualTo(1);
    }

    @Test
    void otherVersionIsClosed() throws Exception {
        try (Socket older = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataInputStream in = new DataInputStream(older.getInputStream());
            byte[] reply = Handshake.ofHello(in.readNBytes(Handshake.HELLO_BYTES), TransferFixture.KEY)
                    .reply();
            ByteBuffer.wrap(reply).putInt(8, 0);
            older.getOutputStream().write(reply);

            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void replayedConnectionIsClosed() throws Exception {
        byte[] sent;
        try (Raw first = new Raw()) {
            first.send(first.request(1));
            there.next().answer().complete(stored(1));
            assertThat(first.answered()).isEqualTo(1);
            sent = first.sent.toByteArray();
        }

        try (Socket again = new Socket(InetAddress.getLoopbackAddress(), port)) {
            again.getOutputStream().write(sent);

            byte[] received;
            try {
                received = again.getInputStream().readAllBytes();
            } catch (SocketException e) {
                received = new byte[0]; // reset: it had not read all
            }
            assertThat(received.length).isLessThanOrEqualTo(Handshake.HELLO_BYTES);
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void repeatedRequestNumberClosesTheConnection() throws Exception {
        try (Raw peer = new Raw()) {
            byte[] request = peer.request(1);
            peer.send(request);
            there.next().answer().complete(stored(1));
            assertThat(peer.answered()).isEqualTo(1);

            peer.send(request);

            peer.assertEnded();
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void requestWithAWrongMacClosesTheConnection() throws Exception {
        for (int at : new int[] {11, 20, Frame.HEADER_BYTES, Frame.HEADER_BYTES + 40}) {
            try (Raw peer = new Raw()) {
                byte[] request = peer.request(1);
                request[at] ^= 4;
                peer.send(request);

                peer.assertEnded();
            }
        }
        assertThat(there.nothingAsked()).isTrue();
        Awaitility.await().until(() -> fixture.memory.used() == 0);
    }

    @Test
    void requestOfAnImpossibleLengthClosesTheConnectionBeforeItIsRead() throws Exception {
        for (int bytes : new int[] {Integer.MAX_VALUE, -1, 0, 23}) {
            try (Raw peer = new Raw()) {
                peer.send(ByteBuffer.allocate(Frame.HEADER_BYTES)
                        .putInt(bytes)
                        .putLong(1)
                        .array());

                peer.assertEnded();
            }
        }
        assertThat(fixture.memory.used()).isZero();
    }

    @Test
    void requestThatComesByteByByteIsServed() throws Exception {
        try (Raw peer = new Raw()) {
            for (byte each : peer.request(1)) {
                peer.send(new byte[] {each});
            }
            Held asked = there.next();
            asked.answer().complete(stored(1));

            assertThat(asked.subject()).isEqualTo(put("s"));
            assertThat(peer.answered()).isEqualTo(1);
        }
    }

    @Test
    void connectionThatEndsInMidRequestReleasesItsMemory() throws Exception {
        try (Raw peer = new Raw()) {
            byte[] request = peer.request(1);
            peer.send(Arrays.copyOf(request, request.length - 1));
            Awaitility.await().until(() -> fixture.memory.used() > 0);
        }

        Awaitility.await().until(() -> fixture.memory.used() == 0);
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void putWhoseConnectionHasEndedIsReportedAsUnanswered() throws Exception {
        CountDownLatch reported = new CountDownLatch(1);
        Held asked;
        try (Raw peer = new Raw()) {
            peer.send(peer.request(1));
            asked = there.next();
        }
        TransferServer opened = requireNonNull(server);
        Awaitility.await().until(() -> opened.connections() == 0);

        asked.answer().complete(new AppendResult(1, reported::countDown));

        assertThat(reported.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void putReportedAsUnansweredBeforeItComesIsNotStored() throws Exception {
        try (Raw late = new Raw();
                Raw quick = new Raw()) {
            List<ByteBuffer> report =
                    Request.unanswered(late.handshake.connectionId(), 1).message(1, "alice", 20_000_000_000L);
            quick.send(quick.framed(1, report));
            assertThat(quick.answered()).isEqualTo(1);

            late.send(late.request(1));

            assertThat(late.answered()).isEqualTo(1);
            assertThat(there.nothingAsked()).isTrue();
        }
    }

    @Test
    void unreadableRequestIsRefusedAndTheConnectionStaysOpen() throws Exception {
        try (Raw peer = new Raw()) {
            ByteBuffer garbage = ByteBuffer.wrap("not Thrift at all".getBytes(US_ASCII));
            peer.send(peer.framed(1, List.of(garbage)));
            assertThat(peer.answered()).isEqualTo(1);

            peer.send(peer.request(2));
            there.next().answer().complete(stored(2));

            assertThat(peer.answered()).isEqualTo(2);
        }
    }

    @Test
    void portInUseIsNamed() {
        assertThatThrownBy(() -> fixture.server(port, there))
                .hasMessageContaining("transfer.host and transfer.port: cannot listen on 127.0.0.1:" + port)
                .hasMessageContaining("TALOS_TRANSFER_PORT");
    }
}
