// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLParameters;
import org.slf4j.LoggerFactory;

/**
 * A connection under TLS, by the JDK's engine over a channel that blocks: no selector, and no thread of its own. The
 * server's certificate must be trusted, and must match the requested host. The context decides about resuming sessions.
 * Tickets, key updates, and renegotiations are handled.
 *
 * <p>Thread-safe for one thread that reads, one that writes, and any that close.
 */
final class TlsWire implements Wire {
    private static final String PROTOCOL = "http/1.1"; // its name in ALPN

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final TlsOutput output;
    private final TlsInput input;

    private TlsWire(
            SocketChannel channel, SSLEngine engine, LentBuffers buffers, EarlyCompilation compilation, int awaited) {
        this.channel = channel;
        this.engine = engine;
        output = new TlsOutput(channel, engine, buffers, compilation);
        input = new TlsInput(channel, engine, output, buffers, compilation, awaited);
    }

    /**
     * Begins TLS, and waits until both sides know of each other. The channel is closed if that fails.
     *
     * @param channel that is connected to the route's server
     * @param awaited number of bytes that are received at once where none were expected
     * @throws javax.net.ssl.SSLException the server is not trusted, or there is no TLS that both can
     * @throws IOException the connection has ended
     */
    static TlsWire open(
            SSLContext context,
            Route route,
            SocketChannel channel,
            LentBuffers buffers,
            EarlyCompilation compilation,
            int awaited)
            throws IOException {
        TlsWire opened = new TlsWire(channel, engine(context, route), buffers, compilation, awaited);
        boolean isOpen = false;
        try {
            opened.handshake();
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                opened.input.release();
                opened.disconnect(); // which names the reason to the server
            }
        }
    }

    private static SSLEngine engine(SSLContext context, Route route) {
        SSLEngine engine = context.createSSLEngine(route.host(), route.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(new String[] {PROTOCOL});
        parameters.setServerNames(names(route.host()));
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Returns the server name to announce, without addresses and without a dot at the end (RFC 6066). */
    private static List<SNIServerName> names(String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        if (name.indexOf(':') >= 0 || name.matches("(.*\\.)?[0-9]+")) { // the last label of a name is not a number
            return List.of();
        }
        try {
            return List.of(new SNIHostName(name));
        } catch (IllegalArgumentException e) { // one that only this machine knows
            LoggerFactory.getLogger(TlsWire.class).debug("server name is not announced host={}", host, e);
            return List.of();
        }
    }

    private void handshake() throws IOException {
        engine.beginHandshake();
        for (HandshakeStatus status = engine.getHandshakeStatus();
                status != HandshakeStatus.NOT_HANDSHAKING;
                status = engine.getHandshakeStatus()) {
            HandshakeStatus next = TlsOutput.tasksRun(engine, status);
            if (next == HandshakeStatus.NEED_WRAP) {
                output.writeOwn();
            } else if (next == HandshakeStatus.NEED_UNWRAP) {
                input.handshake();
            }
        }
        input.await();
    }

    @Override
    public ByteBuffer arrived() {
        return input.arrived();
    }

    @Override
    public void await() {
        input.await();
    }

    @Override
    public boolean fill() throws IOException {
        return input.fill();
    }

    @Override
    public int read(byte[] target, int from, int end) throws IOException {
        return input.read(target, from, end);
    }

    @Override
    public void write(List<ByteBuffer> parts) throws IOException {
        output.write(parts);
    }

    @Override
    public long written() {
        return output.written();
    }

    @Override
    public boolean isQuiet() {
        return input.isQuiet();
    }

    @Override
    public void release() {
        input.release();
    }

    @Override
    public boolean isAlive() {
        return input.isAlive();
    }

    @Override
    public void disconnect() {
        try {
            output.writeLast();
        } catch (IOException | RuntimeException e) { // the server may have gone, too
            LoggerFactory.getLogger(TlsWire.class).debug("connection ends without a close notification", e);
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        Channels.close(channel);
    }
}
