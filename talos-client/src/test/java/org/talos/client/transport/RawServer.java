// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** A server that does to each connection what a test says, byte by byte. Thread-safe. */
final class RawServer implements AutoCloseable {
    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final BlockingQueue<Object> ends = new LinkedBlockingQueue<>();

    /** Serves a connection, which is closed afterwards. */
    interface Peer {
        void with(Wire wire) throws Exception;
    }

    /** The server's side of a connection. Confined: its thread. */
    static final class Wire {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private final int number;
        private byte[] body = {};

        private Wire(Socket socket, int number) throws IOException {
            this.socket = socket;
            in = socket.getInputStream();
            out = socket.getOutputStream();
            this.number = number;
        }

        /** Returns the number of earlier connections. */
        int number() {
            return number;
        }

        /** The connection. */
        Socket socket() {
            return socket;
        }

        /** The body of the last request. */
        byte[] body() {
            return body;
        }

        /** Reads a whole request; false if the connection has ended. */
        boolean request() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return false;
                }
                head.append((char) next);
            }
            int at = head.indexOf("Content-Length: ") + "Content-Length: ".length();
            int length = Integer.parseInt(head.substring(at, head.indexOf("\r\n", at)));
            body = in.readNBytes(length);
            return body.length == length;
        }

        /** Reads one byte. */
        int read() throws IOException {
            return in.read();
        }

        /** Reads to the end. */
        void drain() throws IOException {
            in.transferTo(OutputStream.nullOutputStream());
        }

        /**
         * Waits until the client has closed the connection, with or without bytes that it has not read; false if it
         * sends.
         */
        boolean awaitClose() {
            try {
                return in.read() < 0;
            } catch (IOException e) { // reset
                return true;
            }
        }

        Wire write(String text) throws IOException {
            return write(text.getBytes(ISO_8859_1));
        }

        Wire write(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
            return this;
        }

        /** Answers each request of the connection in the same way. */
        void answerAll(String answer) throws IOException {
            while (request()) {
                write(answer);
            }
        }
    }

    /** A server without TLS. */
    RawServer(Peer peer) throws IOException {
        this(new ServerSocket(0, 100, InetAddress.getLoopbackAddress()), peer);
    }

    /** A server of TLS. */
    RawServer(SSLContext tls, Peer peer) throws IOException {
        this(tls.getServerSocketFactory().createServerSocket(0, 100, InetAddress.getLoopbackAddress()), peer);
    }

    private RawServer(ServerSocket listening, Peer peer) {
        this.listening = listening;
        threads.execute(() -> {
            while (!listening.isClosed()) {
                try {
                    Socket socket = listening.accept();
                    open.add(socket);
                    threads.execute(() -> serve(peer, socket));
                } catch (IOException e) {
                    ends.add(e); // closed
                }
            }
        });
    }

    private void serve(Peer peer, Socket socket) {
        Object end = "ended";
        try (socket) {
            peer.with(new Wire(socket, accepted.getAndIncrement()));
        } catch (Exception e) { // whatever it is, a test looks for it
            end = e;
        }
        ends.add(end); // once it is closed
    }

    /** Waits until a connection has been dealt with. */
    Object end() throws InterruptedException {
        Object end = ends.poll(10, TimeUnit.SECONDS);
        if (end == null) {
            throw new AssertionError("no connection has ended");
        }
        return end;
    }

    /** Returns the number of connections so far. */
    int accepted() {
        return accepted.get();
    }

    URI uri() {
        String scheme = listening instanceof SSLServerSocket ? "https" : "http";
        return URI.create(scheme + "://127.0.0.1:" + listening.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : open) {
            each.close();
        }
        threads.shutdownNow();
    }
}
