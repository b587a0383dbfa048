// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Connects to hosts of several addresses as RFC 8305 has it: IPv6 and IPv4 in turn, the next one 250 ms after the one
 * before or as soon as that has failed. The connection that is made first is kept. A host's addresses begin with the
 * one that was connected to last, so that an address that is dead costs its time once.
 *
 * <p>Thread-safe.
 */
public final class Dialer {
    private static final long STAGGER_MILLIS = 250;

    private final Executor threads;
    private final Resolver resolver;
    private final Map<String, InetAddress> connected = new ConcurrentHashMap<>(); // by host, the last one

    /** Looks up the addresses of a host. Thread-safe. */
    @FunctionalInterface
    public interface Resolver {
        /** Returns all addresses, in the order of preference. */
        InetAddress[] all(String host) throws UnknownHostException;
    }

    /**
     * Makes and connects sockets of a kind. Thread-safe.
     *
     * @param <S> closing one ends a connecting that is under way
     */
    public interface Sockets<S extends Closeable> {
        /** Returns a socket that is not connected. */
        S make() throws IOException;

        /** Connects one, and waits for that. */
        void connect(S socket, InetSocketAddress to, Duration within) throws IOException;
    }

    /**
     * Connects by the machine's look-up of names.
     *
     * @param threads each task blocks for as long as a connecting takes
     */
    public Dialer(Executor threads) {
        this(threads, InetAddress::getAllByName);
    }

    /** Creates a dialer with another resolver. */
    public Dialer(Executor threads, Resolver resolver) {
        this.threads = threads;
        this.resolver = resolver;
    }

    /**
     * Connects to a host, and waits for that. With one address all is done on the caller's thread.
     *
     * @param within for each address
     * @return a socket that is connected; all others have been closed
     * @throws ConnectException the host is unknown, or none of its addresses can be connected to: the failure of the
     *     first is the cause, the others are suppressed
     * @throws IOException there are no sockets left; or (InterruptedIOException) the thread was interrupted
     */
    public <S extends Closeable> S connect(String host, int port, Duration within, Sockets<S> sockets)
            throws IOException {
        List<InetAddress> addresses = addresses(host);
        if (addresses.size() == 1) {
            return connect(new InetSocketAddress(addresses.get(0), port), within, sockets);
        }
        return new Race<>(host, port, within, sockets).run(new ArrayDeque<>(addresses));
    }

    /** Returns the threads that run the attempts. */
    Executor threads() {
        return threads;
    }

    private List<InetAddress> addresses(String host) throws ConnectException {
        List<InetAddress> all;
        try {
            all = alternating(List.of(resolver.all(host)));
        } catch (UnknownHostException e) {
            throw failure(e);
        }
        InetAddress last = connected.get(host);
        if (last != null && all.remove(last)) {
            all.add(0, last);
        }
        return all;
    }

    /** Returns the addresses of both families in turn, beginning with the family of the first. */
    private static List<InetAddress> alternating(List<InetAddress> addresses) {
        boolean first = isIpv6(addresses.get(0));
        Deque<InetAddress> one = new ArrayDeque<>();
        Deque<InetAddress> other = new ArrayDeque<>();
        addresses.forEach(each -> (isIpv6(each) == first ? one : other).add(each));
        List<InetAddress> all = new ArrayList<>();
        while (!one.isEmpty() || !other.isEmpty()) {
            for (Deque<InetAddress> family : List.of(one, other)) {
                if (!family.isEmpty()) {
                    all.add(family.remove());
                }
            }
        }
        return all;
    }

    private static boolean isIpv6(InetAddress address) {
        return address instanceof Inet6Address;
    }

    private static <S extends Closeable> S connect(InetSocketAddress to, Duration within, Sockets<S> sockets)
            throws IOException {
        S socket = sockets.make();
        boolean isConnected = false;
        try {
            sockets.connect(socket, to, within);
            isConnected = true;
            return socket;
        } catch (IOException | RuntimeException e) { // such as an address that is none
            throw failure(e);
        } finally {
            if (!isConnected) { // an Error too: no memory is left
                close(socket);
            }
        }
    }

    private static ConnectException failure(Throwable cause) {
        return (ConnectException) new ConnectException(LastingFault.why(cause)).initCause(cause);
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) { // it is closed nevertheless
            LoggerFactory.getLogger(Dialer.class).debug("socket closed badly", e);
        }
    }

    /** The connecting to one address. Confined: its thread until it has ended, then the race's. */
    private static final class Attempt<S extends Closeable> {
        private final S socket;
        private final InetAddress address;
        private @Nullable Throwable failure;

        Attempt(S socket, InetAddress address) {
            this.socket = socket;
            this.address = address;
        }
    }

    /** A connection attempt to a host, address by address. Confined: its caller. */
    private final class Race<S extends Closeable> {
        private final String host;
        private final int port;
        private final Duration within;
        private final Sockets<S> sockets;
        private final BlockingQueue<Attempt<S>> ended = new LinkedBlockingQueue<>();
        private final List<Attempt<S>> begun = new ArrayList<>();
        private final List<Throwable> failures = new ArrayList<>();

        Race(String host, int port, Duration within, Sockets<S> sockets) {
            this.host = host;
            this.port = port;
            this.within = within;
            this.sockets = sockets;
        }

        S run(Deque<InetAddress> addresses) throws IOException {
            S won = null;
            try {
                won = first(addresses);
                return won;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException) new InterruptedIOException("interrupted while it connects").initCause(e);
            } finally {
                for (Attempt<S> each : begun) {
                    if (won != each.socket) {
                        close(each.socket);
                    }
                }
            }
        }

        private S first(Deque<InetAddress> addresses) throws IOException, InterruptedException {
            while (true) {
                if (!addresses.isEmpty()) {
                    begin(addresses.remove());
                } else if (failures.size() == begun.size()) {
                    throw allFailed();
                }
                Attempt<S> next =
                        addresses.isEmpty() ? ended.take() : ended.poll(STAGGER_MILLIS, TimeUnit.MILLISECONDS);
                if (next == null) {
                    continue; // it may still come: the next one is tried beside it
                }
                Throwable failure = next.failure;
                if (failure == null) {
                    connected.put(host, next.address);
                    return next.socket;
                }
                failures.add(failure);
            }
        }

        private void begin(InetAddress address) throws IOException {
            Attempt<S> attempt = new Attempt<>(sockets.make(), address);
            begun.add(attempt);
            try {
                threads.execute(() -> connect(attempt));
            } catch (RuntimeException | Error e) { // no thread left
                attempt.failure = e;
                ended.add(attempt);
            }
        }

        private void connect(Attempt<S> attempt) {
            try {
                sockets.connect(attempt.socket, new InetSocketAddress(attempt.address, port), within);
            } catch (IOException | RuntimeException | Error e) { // an Error too: nothing else would end the attempt
                attempt.failure = e;
            }
            ended.add(attempt);
        }

        private ConnectException allFailed() {
            ConnectException all = failure(failures.get(0));
            failures.subList(1, failures.size()).forEach(all::addSuppressed);
            return all;
        }
    }
}
