// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * Stands between a client and a server until it cuts them off from one another: for the server, the client's process
 * has then been killed. Until then it may stall: neither hears anything of the other, and its connections stay.
 *
 * <p>Thread-safe.
 */
final class CutProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CutProxy.class);

    private final ServerSocket listening;
    private final URI server;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stalled;
    private final ExecutorService threads = Executors.newCachedThreadPool(new NamedThreads("cut-proxy"));

    private CutProxy(URI server) throws IOException {
        this.server = server;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    static CutProxy before(URI server) throws IOException {
        CutProxy proxy = new CutProxy(server);
        proxy.threads.execute(proxy::accept);
        return proxy;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                open.add(client);
                Socket behind = new Socket(server.getHost(), server.getPort());
                open.add(behind);
                if (listening.isClosed()) { // it was cut while this connection came, and may not have known of it
                    cut();
                    return;
                }
                threads.execute(() -> copy(client, behind));
                threads.execute(() -> copy(behind, client));
            } catch (IOException e) {
                cut(); // it was, or the server has gone
            }
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] bytes = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int some = in.read(bytes); some >= 0; some = in.read(bytes)) {
                if (stalled) {
                    ended.await();
                }
                to.getOutputStream().write(bytes, 0, some);
            }
        } catch (IOException e) {
            LOG.debug("a connection has ended, and now so has its other half", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes nothing on from now on, and reads no more than it has read. */
    void stall() {
        stalled = true;
    }

    /** Closes all connections and accepts no more. */
    void cut() {
        ended.countDown();
        close(listening);
        open.forEach(CutProxy::close);
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        cut();
        threads.shutdown();
    }
}
