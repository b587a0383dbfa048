// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which addresses of a host are tried when, with sockets that do what the test says. */
@Timeout(30)
class DialerTest {
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final InetAddress IPV6_A = ipv6(1);
    private static final InetAddress IPV6_B = ipv6(2);
    private static final InetAddress IPV4_A = address(192, 0, 2, 1);
    private static final InetAddress IPV4_B = address(192, 0, 2, 2);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<InetAddress> tried = new CopyOnWriteArrayList<>();
    private final List<Fake> made = new CopyOnWriteArrayList<>();
    private final Set<InetAddress> silent = ConcurrentHashMap.newKeySet();
    private final Set<InetAddress> listening = ConcurrentHashMap.newKeySet();
    private final CountDownLatch waiting = new CountDownLatch(1);

    private static InetAddress address(int... bytes) {
        byte[] raw = new byte[bytes.length];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static InetAddress ipv6(int last) {
        return address(0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** A socket that connects nowhere. Thread-safe. */
    private static final class Fake implements Closeable {
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public void close() {
            closed.countDown();
        }

        boolean isClosed() {
            return closed.getCount() == 0;
        }
    }

    /** Connects to servers that listen, waits at silent ones, and is refused elsewhere. Thread-safe. */
    private final class Fakes implements Dialer.Sockets<Fake> {
        @Override
        public Fake make() {
            Fake socket = new Fake();
            made.add(socket);
            return socket;
        }

        @Override
        public void connect(Fake socket, InetSocketAddress to, Duration within) throws IOException {
            assertThat(to.getPort()).isEqualTo(80);
            assertThat(within).isEqualTo(WITHIN);
            tried.add(to.getAddress());
            if (silent.contains(to.getAddress())) {
                waiting.countDown();
                await(socket.closed);
                throw new IOException("closed");
            }
            if (!listening.contains(to.getAddress())) {
                throw new ConnectException("refused by " + to.getAddress().getHostAddress());
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Dialer dialer(InetAddress... addresses) {
        Map<String, InetAddress[]> known = Map.of("talos.test", addresses);
        return new Dialer(threads, host -> {
            InetAddress[] all = known.get(host);
            if (all == null) {
                throw new UnknownHostException(host + ": not known");
            }
            return all.clone();
        });
    }

    private Fake connect(Dialer dialer) throws IOException {
        return dialer.connect("talos.test", 80, WITHIN, new Fakes());
    }

    private long closed() {
        return made.stream().filter(Fake::isClosed).count();
    }

    @Test
    void addressesOfBothFamiliesAreTriedInTurn() {
        Dialer dialer = dialer(IPV6_A, IPV6_B, IPV4_A, IPV4_B);

        assertThatThrownBy(() -> connect(dialer))
                .isInstanceOf(ConnectException.class)
                .hasMessage("refused by " + IPV6_A.getHostAddress())
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(3));

        assertThat(tried).containsExactly(IPV6_A, IPV4_A, IPV6_B, IPV4_B);
        assertThat(closed()).isEqualTo(4);
    }

    @Test
    void nextAddressIsTriedWhereOneIsRefused() throws Exception {
        listening.add(IPV4_A);

        Fake connected = connect(dialer(IPV6_A, IPV4_A, IPV4_B));

        assertThat(tried).containsExactly(IPV6_A, IPV4_A);
        assertThat(connected.isClosed()).isFalse();
        assertThat(closed()).isEqualTo(1);
    }

    @Test
    void addressThatDoesNotAnswerIsNotWaitedForAndLeftBehind() throws Exception {
        silent.add(IPV6_A);
        listening.add(IPV4_A);

        Fake connected = connect(dialer(IPV6_A, IPV4_A));

        assertThat(connected.isClosed()).isFalse();
        assertThat(made.get(0).isClosed()).isTrue();
    }

    @Test
    void addressThatWasConnectedToIsTriedFirst() throws Exception {
        silent.add(IPV6_A);
        listening.add(IPV4_B);
        Dialer dialer = dialer(IPV6_A, IPV4_A, IPV4_B);
        connect(dialer);
        tried.clear();

        connect(dialer);
        assertThat(tried).containsExactly(IPV4_B);

        listening.clear();
        silent.clear();
        tried.clear();
        assertThatThrownBy(() -> connect(dialer)).isInstanceOf(ConnectException.class);
        assertThat(tried).containsExactly(IPV4_B, IPV6_A, IPV4_A);
    }

    @Test
    void oneAddressNeedsNoThread() throws Exception {
        listening.add(IPV4_A);
        threads.shutdownNow();

        assertThat(connect(dialer(IPV4_A)).isClosed()).isFalse();
    }

    @Test
    void unknownHostIsToldWithItsCause() {
        assertThatThrownBy(() -> dialer(IPV4_A).connect("other.test", 80, WITHIN, new Fakes()))
                .isInstanceOf(ConnectException.class)
                .hasMessage("other.test: not known")
                .hasCauseInstanceOf(UnknownHostException.class);
        assertThat(made).isEmpty();
    }

    @Test
    void interruptEndsAllThatConnects() throws Exception {
        silent.addAll(List.of(IPV6_A, IPV4_A));
        Dialer dialer = dialer(IPV6_A, IPV4_A);
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try {
            Future<Throwable> failure = caller.submit(() -> {
                try {
                    connect(dialer);
                    throw new AssertionError("it is connected");
                } catch (IOException e) {
                    return e;
                }
            });
            waiting.await();

            caller.shutdownNow(); // interrupts it

            assertThat(failure.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedIOException.class);
            assertThat(made).isNotEmpty().allMatch(Fake::isClosed);
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } finally {
            caller.shutdownNow();
        }
    }
}
