// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.talos.bench.hostile.known.KnownCounts.Count;
import org.talos.bench.hostile.wire.HttpCheck;
import org.talos.common.auth.Credential;

/** A person who signs in to the console at intervals, each time on a new connection. Thread-safe. */
public final class SignIns implements AutoCloseable {
    private static final long PAUSE_MILLIS = 500;
    private static final int CONNECT_MILLIS = 60_000;
    private static final long END_MILLIS = 65_000;

    private final SocketFactory sockets;
    private final InetSocketAddress server;
    private final byte[] request;
    private final KnownCounts counts = new KnownCounts();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "sign-ins");

    private SignIns(SocketFactory sockets, InetSocketAddress server, Credential user) {
        this.sockets = sockets;
        this.server = server;
        String body = format("{\"accessKey\":\"%s\",\"secretKey\":\"%s\"}", user.keyId(), user.secret());
        request = ("POST /v1/session HTTP/1.1\r\nHost: 127.0.0.1:" + server.getPort()
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Begins to sign in.
     *
     * @param sockets the factory of the connections, with or without TLS
     */
    public static SignIns begin(SocketFactory sockets, InetSocketAddress server, Credential user) {
        SignIns begun = new SignIns(sockets, server, user);
        begun.thread.setDaemon(true);
        begun.thread.start();
        return begun;
    }

    private void run() {
        try {
            do {
                counts.add(Count.REQUESTS);
                signIn();
            } while (!ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void signIn() {
        try (Socket socket = sockets.createSocket()) {
            socket.connect(server, CONNECT_MILLIS);
            HttpCheck answer = new HttpCheck(status -> HttpCheck.ANY);
            Exchange.run(socket, request, answer, () -> answer.answers() > 0);
            if (HttpCheck.isSuccess(answer.status())) {
                counts.add(Count.DONE);
            } else {
                counts.add(Count.REFUSED, "signing in: status " + answer.status());
            }
        } catch (IOException e) {
            counts.add(Count.UNANSWERED, "signing in: " + e);
        }
    }

    /** Ends them, after the last answer; returns what became of them. */
    public KnownCounts end() throws InterruptedException {
        ended.countDown();
        thread.join(END_MILLIS);
        return counts;
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
