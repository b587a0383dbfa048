// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.NewTopic;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.testing.TestServer;

/** Clients that a server sends elsewhere: each at a time of its own. */
@Timeout(90)
class StreamMoveTest {
    private static final String STREAM = "/v1/topics/orders/stream";

    @TempDir
    private Path data;

    /** A stream that records its notifications. */
    private static final class Recorded implements OpenStreams.Stream {
        private final List<Integer> stopped = new ArrayList<>();
        private final List<Integer> moved = new ArrayList<>();

        @Override
        public void stop(int withinMillis) {
            stopped.add(withinMillis);
        }

        @Override
        public void move(int withinMillis) {
            moved.add(withinMillis);
        }
    }

    @Test
    void clientsGoElsewhereOverTwoSecondsOrAThousandInASecond() {
        OpenStreams streams = new OpenStreams(
                new OpenStreams.Bounds(10_000, 10_000), Duration.ofSeconds(40), (delay, task) -> {}, () -> 0);
        Recorded first = new Recorded();
        streams.add(first, "alice");

        streams.move();
        IntStream.range(1, 10_000).forEach(each -> streams.add(new Recorded(), "alice"));
        streams.move();
        var unused = streams.stop();

        assertThat(first.moved).containsExactly(2_000, 10_000);
        assertThat(first.stopped).containsExactly(10_000);
    }

    /** A thousand a second came, by the clock of who had sent them: nor do they leave in step. */
    @Test
    void clientsThatCameInEvenStepsGoAtTimesThatAreSpread() {
        Integer[] tenths = new Integer[10];
        Arrays.fill(tenths, 0);
        for (int i = 0; i < 10_000; i++) {
            tenths[Departure.after(1_000_000L * i, 10_000) / 1_000]++;
        }

        assertThat(tenths).allSatisfy(each -> assertThat(each).isBetween(900, 1_100));
    }

    @Test
    void streamOfADrainedServerGoesOnAfterItsClientIsAskedToLeave() throws Exception {
        FourPlaces elsewhere = new FourPlaces();
        elsewhere.here(false);
        StreamSession session = new StreamSession(
                new StreamTerms(100_000, 100_000, 1, true),
                ServerMessages.BINARY,
                elsewhere,
                new RequestMemory(new MemoryBudget(1 << 20).of("user")));
        assertThat(session.nextOutgoing()).isNotNull(); // OPENED

        session.move(250);

        Outgoing move = requireNonNull(session.nextOutgoing());
        assertThat(move.parts().get(0).array())
                .isEqualTo(ServerMessages.BINARY.move(250, true).array());
        session.received(new ClientMessage.Subscribe(0, 0));
        assertThat(session.nextWork()).isInstanceOf(StreamWork.Read.class);
        assertThat(session.hasMoved()).isFalse();
        session.stop(300);
        Outgoing stop = requireNonNull(session.nextOutgoing());
        assertThat(stop.parts().get(0).array())
                .isEqualTo(ServerMessages.BINARY.move(300, false).array());
    }

    @Test
    void clientsOfAServerThatStopsAreSpreadEvenly() throws Exception {
        int clients = 400;
        Map<String, String> patient = Map.of("SERVICE_SHUTDOWNGRACE", "30s"); // until all have read their end
        TestServer server = TestServer.start(data, patient);
        List<StreamClient> open = new ArrayList<>();
        try {
            server.admin().createTopic(NewTopic.of("orders", 1));
            for (int i = 0; i < clients; i++) {
                open.add(StreamClient.open(server.endpoint(), STREAM));
            }
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(server::close);

            Integer[] tenths = new Integer[10];
            Arrays.fill(tenths, 0);
            for (StreamClient each : open) {
                Received move = each.next("MOVE");
                assertThat(move.bytes()[1]).as("is not served further on").isZero();
                tenths[move.integer(4) / 200]++;
                assertThat(each.closeCode()).isEqualTo(1012);
            }
            stopping.get();

            assertThat(tenths).allSatisfy(each -> assertThat(each).isBetween(12, 80));
        } finally {
            open.forEach(StreamClient::close);
            server.close();
        }
    }
}
