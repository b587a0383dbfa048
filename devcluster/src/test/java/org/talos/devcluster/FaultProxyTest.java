// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated // who else looks for a free port may find the one at which connections are refused
@Timeout(90)
class FaultProxyTest {
    private final LinkedBlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();
    private ServerSocket target;
    private Thread acceptor;
    private FaultProxy proxy;
    private Socket client;
    private Socket server;

    @BeforeEach
    void connect() throws Exception {
        target = new ServerSocket();
        target.bind(Ports.address(0));
        acceptor = new Thread(() -> {
            while (!target.isClosed()) {
                try {
                    accepted.add(target.accept());
                } catch (IOException e) {
                    return; // the test is over
                }
            }
        });
        acceptor.setDaemon(true);
        acceptor.start();
        proxy = FaultProxy.before(Ports.address(target.getLocalPort()));
        client = connected();
        server = next();
        say(client, 0); // the target has the connection before the proxy has counted it
        assertThat(hear(server)).isZero();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        proxy.close();
        target.close();
    }

    private Socket connected() throws Exception {
        Socket socket = new Socket();
        socket.connect(proxy.address(), 20_000);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private Socket next() throws Exception {
        Socket socket = accepted.poll(5, TimeUnit.SECONDS);
        assertThat(socket).isNotNull();
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void say(Socket from, int word) throws IOException {
        from.getOutputStream().write(word);
    }

    private static int hear(Socket at) throws IOException {
        return at.getInputStream().read();
    }

    @Test
    void bytesPassBothWays() throws Exception {
        say(client, 1);
        assertThat(hear(server)).isEqualTo(1);

        say(server, 2);
        assertThat(hear(client)).isEqualTo(2);
        assertThat(proxy.connections()).isEqualTo(1);
    }

    @Test
    void endOfOneSideReachesTheOther() throws Exception {
        client.shutdownOutput();
        assertThat(hear(server)).isEqualTo(-1);

        say(server, 2);
        assertThat(hear(client)).isEqualTo(2);
    }

    @Test
    void cutResetsBothSidesAndTakesNewConnections() throws Exception {
        proxy.cut();

        assertThatThrownBy(() -> hear(client)).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> hear(server)).isInstanceOf(SocketException.class);
        try (Socket again = connected();
                Socket there = next()) {
            say(again, 3);
            assertThat(hear(there)).isEqualTo(3);
        }
    }

    @Test
    void refusedConnectionsFailAndOldOnesStayUntilMended() throws Exception {
        proxy.refuse();

        assertThatThrownBy(this::connected).isInstanceOf(ConnectException.class);
        say(client, 1);
        assertThat(hear(server)).isEqualTo(1);

        proxy.repair();
        try (Socket again = connected();
                Socket there = next()) {
            say(there, 4);
            assertThat(hear(again)).isEqualTo(4);
        }
    }

    @Test
    void stalledBytesArriveOnceMended() throws Exception {
        proxy.stall();
        say(client, 1);
        server.setSoTimeout(300);
        assertThatThrownBy(() -> hear(server)).isInstanceOf(SocketTimeoutException.class);

        proxy.repair();

        server.setSoTimeout(20_000);
        assertThat(hear(server)).isEqualTo(1);
    }

    @Test
    void delayedBytesComeLater() throws Exception {
        proxy.delay(Duration.ofMillis(300));
        long begin = System.nanoTime();

        say(client, 1);

        assertThat(hear(server)).isEqualTo(1);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    void answersEndWhileRequestsContinue() throws Exception {
        proxy.endAnswers();

        assertThat(hear(client)).isEqualTo(-1);
        say(client, 1);
        assertThat(hear(server)).isEqualTo(1);
    }

    @Test
    void requestsEndWhileAnswersContinue() throws Exception {
        proxy.endRequests();

        assertThat(hear(server)).isEqualTo(-1);
        say(server, 2);
        assertThat(hear(client)).isEqualTo(2);
    }

    @Test
    void targetThatIsGoneResetsTheClient() throws Exception {
        target.close();
        acceptor.join(); // until it has noticed, the system takes connections

        assertThatThrownBy(() -> {
                    try (Socket late = connected()) { // the reset may come as early as that
                        hear(late);
                    }
                })
                .isInstanceOf(SocketException.class);
    }
}
