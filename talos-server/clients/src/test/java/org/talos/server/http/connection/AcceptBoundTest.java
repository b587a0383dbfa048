// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.SystemTime;

@Timeout(60)
final class AcceptBoundTest {
    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final Server server = new Server();
    private final List<Socket> sockets = new ArrayList<>();
    private final AtomicInteger asked = new AtomicInteger(); // for room
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    @BeforeEach
    void listen() {
        said.start();
        root.addAppender(said);
    }

    @AfterEach
    void stop() throws Exception {
        root.detachAppender(said);
        for (Socket socket : sockets) {
            socket.close();
        }
        server.stop();
    }

    private void start(int mostOpen, int perSecond) throws Exception {
        connector.setHost("127.0.0.1");
        BooleanSupplier room = () -> {
            asked.incrementAndGet();
            return false;
        };
        connector.addBean(new AcceptBound(connector, mostOpen, perSecond, room, SystemTime.ticker()));
        server.addConnector(connector);
        server.start();
    }

    private void connect() throws Exception {
        sockets.add(new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
    }

    private int open() {
        return connector.getConnectedEndPoints().size();
    }

    private Set<Integer> ports() {
        return connector.getConnectedEndPoints().stream()
                .map(each -> ((InetSocketAddress) each.getRemoteSocketAddress()).getPort())
                .collect(Collectors.toSet());
    }

    /** Counts the lines about this test's bound: servers of other tests log at the same time. */
    private long lines(int bound) {
        return List.copyOf(said.list).stream()
                .filter(event -> event.getLoggerName().equals(AcceptBound.class.getName()))
                .filter(event -> event.getFormattedMessage().contains("=" + bound + " "))
                .count();
    }

    @Test
    void floodOfConnectionsIsAcceptedSecondBySecondAndIsOneLineInTheLog() throws Exception {
        start(1_000, 23);
        for (int i = 0; i < 70; i++) {
            connect();
        }

        await().until(() -> open() == 70);
        assertThat(lines(23)).isEqualTo(1);
    }

    /** Each time that the last place was taken again, further tries for room would continue beside those before. */
    @Test
    void roomIsTriedForAtOnePaceHoweverOftenThePlacesWereTakenAgain() throws Exception {
        start(1, 1_000);
        for (int i = 0; i < 20; i++) {
            connect();
            await().until(() -> open() == 1);
            sockets.get(i).close();
            await().until(() -> open() == 0);
        }
        connect();
        await().until(() -> open() == 1);
        int before = asked.get();

        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);

        assertThat(asked.get() - before).isBetween(2, 15); // one each 100 ms
    }

    @Test
    void rateLetsNoConnectionInThatTheBoundOfAllHoldsBack() throws Exception {
        start(30, 20);
        for (int i = 0; i < 60; i++) {
            connect();
        }
        await().until(() -> open() == 30);
        await().during(Duration.ofMillis(1_500)).until(() -> open() == 30);

        for (Socket each : sockets.subList(0, 30)) {
            each.close();
        }

        await().until(() -> ports().equals(sockets.subList(30, 60).stream()
                .map(Socket::getLocalPort)
                .collect(Collectors.toSet())));
    }
}
