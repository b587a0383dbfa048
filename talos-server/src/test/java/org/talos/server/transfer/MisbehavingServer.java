// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.thrift.TException;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Handshake;
import org.talos.server.transfer.wire.Request;
import org.talos.server.transfer.wire.generated.OffsetResult;

/** A transfer port whose behavior a test defines. Thread-safe. */
public final class MisbehavingServer implements AutoCloseable {
    private final ServerSocket listening;
    private final Behavior behavior;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final NamedThreads threads = new NamedThreads("misbehaving");

    /** Serves a connection, which is closed afterwards. */
    public interface Behavior {
        void run(Peer peer) throws IOException;
    }

    /** The accepting side of one connection. Confined: its thread. */
    public static final class Peer {
        private final DataInputStream in;
        private final OutputStream out;
        private FrameMac answers = new FrameMac(new byte[32]);

        Peer(Socket socket) throws IOException {
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        public void send(byte[] bytes) throws IOException {
            out.write(bytes);
        }

        public byte[] receive(int bytes) throws IOException {
            return in.readNBytes(bytes);
        }

        /** Does the handshake as a server should. */
        public void handshake() throws IOException {
            byte[] hello = Handshake.hello(false);
            send(hello);
            Handshake handshake = Handshake.ofReply(hello, receive(Handshake.REPLY_BYTES), TransferFixture.KEY);
            answers = handshake.answers();
            send(handshake.serverProof());
        }

        /** Reads the next request and returns its number. */
        public long nextRequest() throws IOException {
            ByteBuffer head = ByteBuffer.wrap(receive(Frame.HEADER_BYTES));
            int bytes = head.getInt();
            long id = head.getLong();
            receive(bytes - Frame.HEADER_BYTES + Integer.BYTES);
            return id;
        }

        /** A correct answer to a put. */
        public byte[] stored(long id, long offset) {
            try {
                var message = Answer.result(Request.PUT, id, new OffsetResult(offset));
                return bytes(answers.header(id, message), message.toArray(new ByteBuffer[0]));
            } catch (TException e) {
                throw new IllegalStateException(e);
            }
        }

        private static byte[] bytes(ByteBuffer head, ByteBuffer... message) {
            ByteBuffer all = ByteBuffer.allocate(1_000).put(head);
            for (ByteBuffer each : message) {
                all.put(each.duplicate());
            }
            byte[] bytes = new byte[all.flip().remaining()];
            all.get(bytes);
            return bytes;
        }

        /** Waits until the other side ends the connection. */
        public void waitForEnd() throws IOException {
            while (in.read() >= 0) {
                // ignored
            }
        }
    }

    public MisbehavingServer(Behavior behavior) throws IOException {
        this.behavior = behavior;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.newThread(this::accept).start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                accepted.incrementAndGet();
                sockets.add(socket);
                threads.newThread(() -> serve(socket)).start();
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            behavior.run(new Peer(socket));
        } catch (IOException e) {
            sockets.remove(socket); // the client has ended it
        }
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** Connections so far. */
    public int accepted() {
        return accepted.get();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : sockets) {
            each.close();
        }
    }
}
