// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * Opens connections to servers in two steps: {@link #connect} to the server or its proxy, then the exchange before the
 * first byte of HTTP. A thread that closes the channel ends the second step.
 *
 * <p>Thread-safe.
 */
public final class Wires {
    /** The buffer with which a call waits for its answer; there may be many. Enough for the answer to a put. */
    private static final int AWAITED_BY_CALLS_BYTES = 1 << 10;
    /** The buffer with which a stream waits for its next messages: a whole record of TLS. */
    private static final int AWAITED_BY_STREAMS_BYTES = 18 << 10;

    private static final int BUFFER_OF_STREAM_BYTES = 64 << 10;

    private final Dialer dialer;
    private final Optional<SSLContext> tls;
    private final Optional<PasswordAuthentication> login;
    private final EarlyCompilation compilation;

    /** @param tls trusted servers; empty for those that the JVM trusts */
    public Wires(Dialer dialer, Optional<SSLContext> tls) {
        this(dialer, tls, Optional.empty());
    }

    /**
     * With a user and a password for proxies.
     *
     * @param tls trusted servers; empty for those that the JVM trusts
     * @param login said to proxies alone
     */
    public Wires(Dialer dialer, Optional<SSLContext> tls, Optional<PasswordAuthentication> login) {
        this.dialer = dialer;
        this.tls = tls;
        this.login = login;
        compilation = new EarlyCompilation(dialer.threads());
    }

    /** Returns the value of {@code Proxy-Authorization} for a proxy that passes on requests, which is a secret. */
    public Optional<String> proxyAuthorization() {
        return login.map(Tunnel::basic);
    }

    /**
     * Connects to a route's server, or to its proxy.
     *
     * @param within for each address
     * @throws ConnectException there is no listener
     * @throws IOException there are no sockets left; or (InterruptedIOException) the thread was interrupted
     */
    public SocketChannel connect(Route route, Duration within) throws IOException {
        InetSocketAddress first = route.first();
        try {
            return dialer.connect(first.getHostString(), first.getPort(), within, new Channels());
        } catch (ConnectException e) {
            throw route.proxy().type() == Proxy.Type.DIRECT ? e : ofProxy(first, e);
        }
    }

    /** Says that it is the proxy: of the server nothing is known, whatever the cause. */
    private static ConnectException ofProxy(InetSocketAddress proxy, ConnectException failure) {
        ConnectException ofProxy = new ConnectException("the proxy " + proxy.getHostString() + ":" + proxy.getPort()
                + " cannot be connected to: " + LastingFault.why(failure));
        ofProxy.addSuppressed(failure);
        return ofProxy;
    }

    /**
     * Begins with TLS, by way of the proxy, as a route has it, for one call after another. Closes the channel if that
     * fails.
     *
     * @param buffers for the bytes of all calls
     * @throws ConnectException the proxy has refused to connect
     * @throws SSLException the server is not trusted, or there is no TLS that both can
     * @throws IOException the connection has ended
     */
    public Wire forCalls(Route route, SocketChannel connected, LentBuffers buffers) throws IOException {
        boolean isOpen = false;
        try {
            if (route.proxy().type() != Proxy.Type.DIRECT && !route.isPassedOn()) {
                Tunnel.open(connected, route, login);
            }
            Wire opened = route.isSecure()
                    ? TlsWire.open(context(), route, connected, buffers, compilation, AWAITED_BY_CALLS_BYTES)
                    : new PlainWire(connected, buffers, false);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) { // an Error too: no memory is left
                Channels.close(connected);
            }
        }
    }

    /**
     * Returns the same for a stream, which has buffers of its own; a proxy has to connect to its server in any case.
     */
    public Wire forStream(Route route, SocketChannel connected) throws IOException {
        boolean isOpen = false;
        try {
            if (route.proxy().type() != Proxy.Type.DIRECT) {
                Tunnel.open(connected, route, login);
            }
            LentBuffers own = new LentBuffers(BUFFER_OF_STREAM_BYTES, ByteBuffer::allocate);
            Wire opened = route.isSecure()
                    ? TlsWire.open(context(), route, connected, own, compilation, AWAITED_BY_STREAMS_BYTES)
                    : new PlainWire(connected, own, true);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                Channels.close(connected);
            }
        }
    }

    /** Made when it is needed: the default one is a quarter of the time of a command. */
    private SSLContext context() throws SSLException {
        try {
            return tls.isPresent() ? tls.get() : SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new SSLException("no TLS: " + LastingFault.why(e), e);
        }
    }
}
