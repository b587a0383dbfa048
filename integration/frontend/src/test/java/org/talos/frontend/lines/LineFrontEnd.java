// SPDX-License-Identifier: Apache-2.0
package org.talos.frontend.lines;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.frontend.FrontEnd;
import org.talos.server.frontend.FrontEndContext;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * Serves lines over TCP on this machine, each answered by one line, with a thread for each connection.
 * {@link LineCalls} has the protocol.
 *
 * <p>Thread-safe.
 */
final class LineFrontEnd implements FrontEnd {
    private static final Logger LOG = LoggerFactory.getLogger(LineFrontEnd.class);

    private final FrontEndContext context;
    private final ServerSocket listening = new ServerSocket();
    private final ExecutorService threads = Executors.newCachedThreadPool(new NamedThreads(LineProvider.NAME));
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile Optional<String> failure = Optional.empty();

    LineFrontEnd(FrontEndContext context) throws IOException {
        this.context = context;
    }

    @Override
    public String name() {
        return LineProvider.NAME;
    }

    @Override
    public void start() throws IOException {
        int port = LineProvider.port(context.settings());
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        threads.execute(this::accept);
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = listening.accept();
                connections.add(connection);
                threads.execute(() -> serve(connection));
            }
        } catch (IOException e) {
            failure = listening.isClosed() ? Optional.empty() : Optional.of("lines: " + e.getMessage());
        }
    }

    private void serve(Socket connection) {
        LineCalls calls = new LineCalls(context);
        try (connection;
                BufferedReader in = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
                Writer out = new OutputStreamWriter(connection.getOutputStream(), UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(calls.answer(line) + "\n");
                out.flush();
            }
        } catch (IOException e) {
            LOG.debug("a client has left", e);
        } finally {
            connections.remove(connection);
        }
    }

    @Override
    public List<Address> addresses() {
        return List.of(new Address("tcp", listening.getInetAddress().getHostAddress(), listening.getLocalPort()));
    }

    @Override
    public Optional<String> failure() {
        return failure;
    }

    /** Each connection ends behind the line that it is at. */
    @Override
    public void close() {
        try {
            listening.close();
            connections.forEach(LineFrontEnd::endInput);
            threads.shutdown();
            if (!threads.awaitTermination(context.bounds().grace().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("connections are still open");
            }
        } catch (IOException e) {
            LOG.warn("not closed cleanly", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void endInput(Socket connection) {
        try {
            connection.shutdownInput();
        } catch (IOException e) {
            LOG.debug("a connection has ended meanwhile", e);
        }
    }
}
