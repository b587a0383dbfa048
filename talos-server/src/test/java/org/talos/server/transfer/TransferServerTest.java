// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.transfer.Ends.LOG;
import static org.talos.server.transfer.Ends.put;
import static org.talos.server.transfer.Ends.stored;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
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
import org.talos.server.transfer.wire.Greeting;
import org.talos.server.transfer.wire.Request;
import org.talos.server.transfer.wire.TransferKey;

/** What the transfer port does with bytes that no Talos server sends. */
@Timeout(60)
class TransferServerTest {
    private final Ends ends = new Ends();
    private final HeldRequests there = new HeldRequests();
    private @Nullable TransferServer server;
    private int port;

    @BeforeEach
    void open() throws Exception {
        TransferServer opened = ends.server(there);
        server = opened;
        port = opened.port();
    }

    @AfterEach
    void close() throws Exception {
        ends.close();
    }

    /** A connection from its asking side, byte by byte. Confined: one test. */
    private final class Raw implements AutoCloseable {
        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        private final DataInputStream in = new DataInputStream(socket.getInputStream());
        private final OutputStream out = socket.getOutputStream();
        private final ByteArrayOutputStream said = new ByteArrayOutputStream();
        private final Greeting greeting;
        private final FrameMac requests;

        Raw(TransferKey key) throws IOException {
            greeting = Greeting.toAnswer(in.readNBytes(Greeting.HELLO_BYTES), key);
            requests = greeting.requests();
            say(greeting.reply());
        }

        Raw() throws IOException {
            this(Ends.KEY);
            greeting.checkServer(in.readNBytes(Greeting.PROOF_BYTES));
        }

        void say(byte[] bytes) throws IOException {
            said.writeBytes(bytes);
            out.write(bytes);
        }

        byte[] request(long id) throws Exception {
            return framed(id, Request.put(LOG, put("s")).message(id, "alice", 20_000_000_000L));
        }

        byte[] framed(long id, List<ByteBuffer> message) {
            ByteArrayOutputStream frame = new ByteArrayOutputStream();
            append(frame, requests.head(id, message));
            message.forEach(each -> append(frame, each));
            return frame.toByteArray();
        }

        private static void append(ByteArrayOutputStream all, ByteBuffer more) {
            byte[] bytes = new byte[more.remaining()];
            more.duplicate().get(bytes);
            all.writeBytes(bytes);
        }

        long answered() throws IOException {
            ByteBuffer head = ByteBuffer.wrap(in.readNBytes(Frame.HEAD_BYTES));
            in.skipNBytes(head.getInt() - Frame.HEAD_BYTES + Integer.BYTES);
            return head.getLong();
        }

        /** The server ends the connection without another word. */
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
    void strangerIsNotListenedTo() throws Exception {
        try (Raw stranger = new Raw(new TransferKey("another key, which no server has".getBytes(US_ASCII)))) {
            stranger.say(stranger.request(1));

            stranger.assertEnded();
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void whoSaysNothingIsEnded() throws Exception {
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(silent.getInputStream().readNBytes(Greeting.HELLO_BYTES + 1))
                    .hasSize(Greeting.HELLO_BYTES); // and then the end
        }
    }

    @Test
    void otherVersionIsEnded() throws Exception {
        try (Socket older = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataInputStream in = new DataInputStream(older.getInputStream());
            byte[] reply = Greeting.toAnswer(in.readNBytes(Greeting.HELLO_BYTES), Ends.KEY)
                    .reply();
            ByteBuffer.wrap(reply).putInt(8, 0);
            older.getOutputStream().write(reply);

            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void conversationSaidAgainIsNotListenedTo() throws Exception {
        byte[] said;
        try (Raw first = new Raw()) {
            first.say(first.request(1));
            there.next().answer().complete(stored(1));
            assertThat(first.answered()).isEqualTo(1);
            said = first.said.toByteArray();
        }

        try (Socket again = new Socket(InetAddress.getLoopbackAddress(), port)) {
            again.getOutputStream().write(said);

            byte[] heard;
            try {
                heard = again.getInputStream().readAllBytes();
            } catch (SocketException e) {
                heard = new byte[0]; // reset: it had not read all
            }
            assertThat(heard.length).isLessThanOrEqualTo(Greeting.HELLO_BYTES);
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void requestSaidAgainEndsTheConnection() throws Exception {
        try (Raw peer = new Raw()) {
            byte[] request = peer.request(1);
            peer.say(request);
            there.next().answer().complete(stored(1));
            assertThat(peer.answered()).isEqualTo(1);

            peer.say(request);

            peer.assertEnded();
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void changedRequestEndsTheConnection() throws Exception {
        for (int at : new int[] {11, 20, Frame.HEAD_BYTES, Frame.HEAD_BYTES + 40}) {
            try (Raw peer = new Raw()) {
                byte[] request = peer.request(1);
                request[at] ^= 4;
                peer.say(request);

                peer.assertEnded();
            }
        }
        assertThat(there.nothingAsked()).isTrue();
        Awaitility.await().until(() -> ends.memory.used() == 0);
    }

    @Test
    void hugeRequestEndsTheConnectionBeforeItComes() throws Exception {
        for (int bytes : new int[] {Integer.MAX_VALUE, -1, 0, 23}) {
            try (Raw peer = new Raw()) {
                peer.say(ByteBuffer.allocate(Frame.HEAD_BYTES)
                        .putInt(bytes)
                        .putLong(1)
                        .array());

                peer.assertEnded();
            }
        }
        assertThat(ends.memory.used()).isZero();
    }

    @Test
    void requestThatComesByteByByteIsTakenIn() throws Exception {
        try (Raw peer = new Raw()) {
            for (byte each : peer.request(1)) {
                peer.say(new byte[] {each});
            }
            Held asked = there.next();
            asked.answer().complete(stored(1));

            assertThat(asked.subject()).isEqualTo(put("s"));
            assertThat(peer.answered()).isEqualTo(1);
        }
    }

    @Test
    void connectionThatEndsInMidRequestGivesItsMemoryBack() throws Exception {
        try (Raw peer = new Raw()) {
            byte[] request = peer.request(1);
            peer.say(Arrays.copyOf(request, request.length - 1));
            Awaitility.await().until(() -> ends.memory.used() > 0);
        }

        Awaitility.await().until(() -> ends.memory.used() == 0);
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void putWhoseConnectionIsGoneIsKnownToBeUnanswered() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        Held asked;
        try (Raw peer = new Raw()) {
            peer.say(peer.request(1));
            asked = there.next();
        }
        TransferServer opened = requireNonNull(server);
        Awaitility.await().until(() -> opened.connections() == 0);

        asked.answer().complete(new AppendResult(1, told::countDown));

        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void putThatIsGivenUpBeforeItComesIsNotStored() throws Exception {
        try (Raw late = new Raw();
                Raw quick = new Raw()) {
            List<ByteBuffer> givenUp =
                    Request.unanswered(late.greeting.connectionId(), 1).message(1, "alice", 20_000_000_000L);
            quick.say(quick.framed(1, givenUp));
            assertThat(quick.answered()).isEqualTo(1);

            late.say(late.request(1));

            assertThat(late.answered()).isEqualTo(1);
            assertThat(there.nothingAsked()).isTrue();
        }
    }

    @Test
    void whatIsNoCallIsRefusedAndTheConnectionGoesOn() throws Exception {
        try (Raw peer = new Raw()) {
            ByteBuffer garbage = ByteBuffer.wrap("not Thrift at all".getBytes(US_ASCII));
            peer.say(peer.framed(1, List.of(garbage)));
            assertThat(peer.answered()).isEqualTo(1);

            peer.say(peer.request(2));
            there.next().answer().complete(stored(2));

            assertThat(peer.answered()).isEqualTo(2);
        }
    }

    @Test
    void portInUseIsNamed() {
        assertThatThrownBy(() -> ends.server(port, there)).hasMessageContaining("transfer port 127.0.0.1:" + port);
    }
}
