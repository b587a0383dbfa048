// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy that injects network faults. Each fault holds until {@link #repair}; faults of different kinds add up.
 *
 * <p>Thread-safe. A connection has two threads, one for each direction.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    private final InetSocketAddress target;
    private final InetSocketAddress address;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Set<Link> links = new HashSet<>();

    @GuardedBy("lock")
    private @Nullable ServerSocket listener;

    @GuardedBy("lock")
    private @Nullable Thread acceptor;

    @GuardedBy("lock")
    private boolean stalled;

    @GuardedBy("lock")
    private Duration delay = Duration.ZERO;

    @GuardedBy("lock")
    private boolean closed;

    private FaultProxy(InetSocketAddress listen, InetSocketAddress target) throws IOException {
        this.target = target;
        ServerSocket first = bound(listen);
        this.address = new InetSocketAddress(first.getInetAddress(), first.getLocalPort());
        this.listener = first;
        accept(first);
    }

    /** Forwards from an address (port 0: a free one) to another, until a fault is set. */
    public static FaultProxy between(InetSocketAddress listen, InetSocketAddress target) throws IOException {
        return new FaultProxy(listen, target);
    }

    /** Forwards from a free port of this machine. */
    public static FaultProxy before(InetSocketAddress target) throws IOException {
        return new FaultProxy(Ports.address(0), target);
    }

    /** The address on which it listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Resets all connections; new ones are forwarded as before. */
    public void cut() {
        lock.lock();
        try {
            links.forEach(Link::reset);
            links.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new connections; existing ones stay. */
    public void refuse() throws IOException {
        Thread accepting;
        lock.lock();
        try {
            if (listener != null) {
                listener.close();
                listener = null;
            }
            accepting = acceptor;
        } finally {
            lock.unlock();
        }
        awaitEnd(accepting);
    }

    /** The system takes connections until the thread that accepts them has noticed that there is no listener. */
    private static void awaitEnd(@Nullable Thread accepting) throws IOException {
        if (accepting == null) {
            return;
        }
        try {
            accepting.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Holds back every byte in both directions without closing a connection, as when a cable is lost. */
    public void stall() {
        lock.lock();
        try {
            stalled = true;
        } finally {
            lock.unlock();
        }
    }

    /** Delays all data by so long, in each direction. */
    public void delay(Duration each) {
        lock.lock();
        try {
            delay = each;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the direction from server to clients; what clients send still reaches the server. */
    public void endAnswers() throws IOException {
        for (Link link : snapshot()) {
            link.endAnswers();
        }
    }

    /** Closes the direction from clients to server; what the server answers still reaches them. */
    public void endRequests() throws IOException {
        for (Link link : snapshot()) {
            link.endRequests();
        }
    }

    /** Ends all faults. Data held back is forwarded; connections that were cut stay cut. */
    public void repair() throws IOException {
        lock.lock();
        try {
            stalled = false;
            delay = Duration.ZERO;
            changed.signalAll();
            if (listener == null && !closed) {
                ServerSocket again = bound(address);
                listener = again;
                accept(again);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The number of open connections. */
    public int connections() {
        return snapshot().size();
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        refuse();
        cut();
    }

    private List<Link> snapshot() {
        lock.lock();
        try {
            return List.copyOf(links);
        } finally {
            lock.unlock();
        }
    }

    private static ServerSocket bound(InetSocketAddress listen) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(listen);
        return socket;
    }

    private void accept(ServerSocket server) {
        Thread accepting = run("accept", () -> {
            boolean open = true;
            while (open) {
                open = acceptOne(server);
            }
        });
        lock.lock();
        try {
            acceptor = accepting;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts a connection; false if no more can come. A client that disconnected at once, or an unreachable target,
     * ends nothing.
     */
    private boolean acceptOne(ServerSocket server) {
        try {
            forward(server.accept());
            return true;
        } catch (IOException e) {
            return !server.isClosed();
        }
    }

    private void forward(Socket client) throws IOException {
        Socket server = new Socket();
        try {
            server.connect(target, CONNECT_TIMEOUT_MILLIS);
        } catch (IOException e) {
            reset(client); // as the target would have
            throw e;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Link link = new Link(client, server);
        Pipe requests = new Pipe(client.getInputStream(), server.getOutputStream(), server);
        Pipe answers = new Pipe(server.getInputStream(), client.getOutputStream(), client);
        lock.lock();
        try {
            if (closed) {
                link.reset();
                return;
            }
            links.add(link);
        } finally {
            lock.unlock();
        }
        run("requests", () -> pump(link, requests));
        run("answers", () -> pump(link, answers));
    }

    /**
     * One direction of a link. Its streams are taken before a fault can end it: a socket gives none for an ended one.
     */
    private record Pipe(InputStream in, OutputStream out, Socket to) {}

    private void pump(Link link, Pipe pipe) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int read = pipe.in.read(chunk); read >= 0; read = pipe.in.read(chunk)) {
                awaitPassage();
                pipe.out.write(chunk, 0, read);
            }
            awaitPassage();
            Link.shutdown(pipe.to);
            link.halfDone();
        } catch (IOException e) {
            link.reset(); // one side is gone, so the other is to know
            forget(link);
        } catch (InterruptedException e) {
            link.reset();
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for as long as each piece is delayed, and then until nothing is stalled. */
    private void awaitPassage() throws InterruptedException {
        lock.lock();
        try {
            long nanos = delay.toNanos();
            while (nanos > 0 && !delay.isZero() && !closed) {
                nanos = changed.awaitNanos(nanos);
            }
            while (stalled && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(Link link) {
        lock.lock();
        try {
            links.remove(link);
        } finally {
            lock.unlock();
        }
    }

    private Thread run(String role, Runnable work) {
        Thread thread = new Thread(work, "fault-proxy-" + role + "-" + address.getPort());
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Resets the connection, so that the other side does not take it for an orderly end. */
    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It was closed already, which is what is wanted.
            return;
        }
    }

    /** A client's connection and the one to the target that belongs to it. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private int halves;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void endAnswers() throws IOException {
            shutdown(client);
        }

        void endRequests() throws IOException {
            shutdown(server);
        }

        private static void shutdown(Socket socket) throws IOException {
            try {
                socket.shutdownOutput();
            } catch (SocketException e) {
                if (!socket.isClosed() && !socket.isOutputShutdown()) {
                    throw e;
                }
            }
        }

        void reset() {
            FaultProxy.reset(client);
            FaultProxy.reset(server);
        }

        /** Closes both once either direction has come to its end. */
        synchronized void halfDone() throws IOException {
            halves++;
            if (halves == 2) {
                client.close();
                server.close();
                forget(this);
            }
        }
    }
}
