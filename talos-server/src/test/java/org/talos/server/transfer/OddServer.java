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
import org.talos.server.runtime.NamedThreads;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Greeting;
import org.talos.server.transfer.wire.Request;

/** A transfer port that does whatever a test says. Thread-safe. */
final class OddServer implements AutoCloseable {
    private final ServerSocket listening;
    private final Behaviour behaviour;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final NamedThreads threads = new NamedThreads("odd");

    /** What is done with a connection, which ends afterwards. */
    interface Behaviour {
        void run(Peer peer) throws IOException;
    }

    /** One connection, from its accepting side. Confined: its thread. */
    static final class Peer {
        private final DataInputStream in;
        private final OutputStream out;
        private FrameMac answers = new FrameMac(new byte[32]);

        Peer(Socket socket) throws IOException {
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        void say(byte[] bytes) throws IOException {
            out.write(bytes);
        }

        byte[] hear(int bytes) throws IOException {
            return in.readNBytes(bytes);
        }

        /** Says and hears what a server should. */
        void greet() throws IOException {
            byte[] hello = Greeting.hello();
            say(hello);
            Greeting greeting = Greeting.answered(hello, hear(Greeting.REPLY_BYTES), Ends.KEY);
            answers = greeting.answers();
            say(greeting.serverProof());
        }

        /** The number of the next request, read whole. */
        long nextRequest() throws IOException {
            ByteBuffer head = ByteBuffer.wrap(hear(Frame.HEAD_BYTES));
            int bytes = head.getInt();
            long id = head.getLong();
            hear(bytes - Frame.HEAD_BYTES + Integer.BYTES);
            return id;
        }

        /** An answer as it should be: that a put is stored. */
        byte[] stored(long id, long offset) {
            try {
                var message = Answer.result(Request.PUT, id, out -> out.number(1, offset));
                return bytes(answers.head(id, message), message.toArray(new ByteBuffer[0]));
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

        /** Until the other side ends the connection. */
        void waitForEnd() throws IOException {
            while (in.read() >= 0) {
                // whatever it says
            }
        }
    }

    OddServer(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
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
            behaviour.run(new Peer(socket));
        } catch (IOException e) {
            sockets.remove(socket); // the client has ended it
        }
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Connections so far. */
    int accepted() {
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
