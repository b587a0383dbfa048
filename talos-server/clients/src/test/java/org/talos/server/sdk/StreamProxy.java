// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * A proxy that treats streams badly, and passes calls. Counts both.
 *
 * <p>Thread-safe.
 */
final class StreamProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamProxy.class);
    private static final int NO_LIMIT = Integer.MAX_VALUE;
    private static final int LONGER_EACH_TIME = 200;

    private final ServerSocket listening;
    private final URI server;
    private final ExecutorService threads = Executors.newCachedThreadPool(new NamedThreads("stream-proxy"));
    private final Set<Socket> streams = ConcurrentHashMap.newKeySet();
    private final Set<Socket> all = ConcurrentHashMap.newKeySet();
    private final AtomicInteger upgrades = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger gets = new AtomicInteger();
    private final AtomicLong fromServer = new AtomicLong();
    private final AtomicLong toServer = new AtomicLong();
    private volatile Manner manner = Manner.PASS;
    private final AtomicInteger cutAfter = new AtomicInteger(NO_LIMIT);
    private volatile boolean losesAnswers;

    /** Half of a connection. */
    private enum Half {
        CALLS,
        STREAM_TO_SERVER,
        STREAM_FROM_SERVER
    }

    /** Ways to treat the opening of a stream. */
    enum Manner {
        /** It is opened. */
        PASS,
        /** It is answered as by a proxy that knows no upgrades. */
        REFUSE,
        /** It is not answered. */
        SILENT,
        /** The server has it, and its answer is lost with the connection. */
        CUT_ANSWER,
        /** The connection is closed in front of the server. */
        CUT_REQUEST
    }

    StreamProxy(URI server) throws IOException {
        this.server = server;
        listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    /** Openings of streams that it has seen. */
    int upgrades() {
        return upgrades.get();
    }

    /** Puts that came as calls. */
    int calls() {
        return calls.get();
    }

    /** Gets of messages that came as calls. */
    int gets() {
        return gets.get();
    }

    /** Streams that are open. */
    int open() {
        return streams.size();
    }

    /** Bytes of streams that have come from the server. */
    long fromServer() {
        return fromServer.get();
    }

    /** Bytes of streams that have gone to the server. */
    long toServer() {
        return toServer.get();
    }

    void manner(Manner now) {
        manner = now;
    }

    /**
     * Cuts each stream once this number of bytes have come from the server, and loses what was over; the next one a
     * little later: the first answer on it tells all that was stored before, and may be longer.
     */
    void cutAfter(int bytes) {
        cutAfter.set(bytes);
    }

    /** Sets whether nothing comes back from servers on streams any more. */
    void losesAnswers(boolean now) {
        losesAnswers = now;
    }

    /** Cuts the streams that there are. */
    void cut() {
        streams.forEach(StreamProxy::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                all.add(client);
                threads.execute(() -> serve(client));
            } catch (IOException e) {
                return; // it is closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket behind = new Socket(server.getHost(), server.getPort())) {
            all.add(behind);
            behind.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            String head = head(client.getInputStream());
            if (head.contains("Upgrade: websocket")) {
                serveStream(client, behind, head);
            } else {
                threads.execute(() -> copy(behind, client, Half.CALLS));
                toServer(behind, head);
                copyCalls(client, behind, head);
            }
        } catch (IOException e) {
            cutOff(e);
        }
    }

    private static void cutOff(IOException e) {
        LOG.debug("a connection has ended, and now so has its other half", e);
    }

    private void serveStream(Socket client, Socket behind, String head) throws IOException {
        upgrades.incrementAndGet();
        switch (manner) {
            case REFUSE ->
                client.getOutputStream()
                        .write("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
            case SILENT -> {
                var unused = client.getInputStream().read(); // until the client gives up
            }
            case CUT_ANSWER -> {
                toServer(behind, head);
                var unused = behind.getInputStream().read();
            }
            case CUT_REQUEST -> client.setSoLinger(true, 0);
            case PASS -> {
                streams.add(client);
                toServer(behind, head);
                threads.execute(() -> copy(behind, client, Half.STREAM_FROM_SERVER));
                copy(client, behind, Half.STREAM_TO_SERVER);
                streams.remove(client);
            }
        }
    }

    private static void toServer(Socket behind, String head) throws IOException {
        behind.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** Requests on a connection that is kept: puts and gets are counted by the name in their request line. */
    private void copyCalls(Socket from, Socket to, String head) throws IOException {
        byte[] bytes = new byte[1 << 16];
        count(head);
        for (int some = from.getInputStream().read(bytes);
                some >= 0;
                some = from.getInputStream().read(bytes)) {
            count(new String(bytes, 0, some, StandardCharsets.ISO_8859_1));
            to.getOutputStream().write(bytes, 0, some);
        }
    }

    private void count(String requests) {
        if (requests.contains("type=putMessage")) {
            calls.incrementAndGet();
        }
        if (requests.contains("type=getMessage")) {
            gets.incrementAndGet();
        }
    }

    private void copy(Socket from, Socket to, Half half) {
        byte[] bytes = new byte[1 << 16];
        int passed = 0;
        boolean ofServer = half == Half.STREAM_FROM_SERVER;
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int some = in.read(bytes); some >= 0; some = in.read(bytes)) {
                boolean isAnswer = passed > 0; // the first is the upgrade's
                passed += some;
                if (ofServer && passed > cutAfter.get()) {
                    cutAfter.addAndGet(LONGER_EACH_TIME);
                    return;
                }
                count(half, some);
                if (!(ofServer && losesAnswers && isAnswer)) {
                    out.write(bytes, 0, some);
                }
            }
        } catch (IOException e) {
            cutOff(e);
        }
    }

    private void count(Half half, int bytes) {
        switch (half) {
            case STREAM_TO_SERVER -> toServer.addAndGet(bytes);
            case STREAM_FROM_SERVER -> fromServer.addAndGet(bytes);
            case CALLS -> {} // which are counted by their request line
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        all.forEach(StreamProxy::close);
        threads.shutdownNow();
    }
}
