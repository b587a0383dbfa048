// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.ClientConfig;
import org.talos.client.ClientListener;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.CloseReport;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;
import org.talos.devcluster.FreePorts;
import org.talos.server.testing.TestServer;

/** The SDK's producer over streams of a real server, with what a network does between them. */
@Timeout(120)
class StreamProducerTest {
    private static final int PARTITIONS = 3;
    private static final int SECONDS = 60;

    @TempDir
    private Path data;

    private int port;
    private TestServer server;
    private StreamProxy proxy;
    private TalosClient client;
    private ProducerConfig config = ProducerConfig.builder()
            .compression(Compression.NONE)
            .linger(Duration.ZERO)
            .maxBatchMessages(3)
            .build();

    @BeforeEach
    void start() throws Exception {
        port = FreePorts.next();
        startServer();
        proxy = new StreamProxy(server.uri());
        server.admin().createTopic(NewTopic.of("orders", PARTITIONS));
        client = client(Transport.STREAM);
    }

    /** Starts it, for the first time or again: it comes back where it was. */
    private void startServer() throws Exception {
        Map<String, String> settings =
                Map.of("LOG_DURABILITY", "flush", "HTTP_MAXBODYBYTES", "1MiB", "HTTP_PORT", Integer.toString(port));
        server = TestServer.start(data, settings);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        proxy.close();
        server.close();
    }

    private TalosClient client(Transport transport) throws Exception {
        return new TalosClient(ClientConfig.of(server.endpoint())
                .withEndpoints(List.of(proxy.uri()))
                .withTimeout(Duration.ofSeconds(2))
                .withoutDirectRouting()
                .withTransport(transport));
    }

    private List<String> stored(int partition) throws Exception {
        try (TalosClient direct = new TalosClient(server.endpoint())) {
            TopicDescription topic = server.admin().describeTopic("orders");
            SimpleConsumer consumer = new SimpleConsumer(direct, topic, partition);
            List<String> all = new ArrayList<>();
            long end = server.admin().offsets(topic).get(partition).endExclusive();
            for (long at = 0; at < end; ) {
                for (FetchedMessage each : consumer.fetch(at, 10_000)) {
                    all.add(each.text());
                    at = each.offset() + 1;
                }
            }
            return all;
        }
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    private static List<CompletableFuture<PutResult>> send(TalosProducer producer, int count) {
        List<CompletableFuture<PutResult>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                sent.add(producer.send(partition, OutgoingMessage.of("m" + i)));
            }
        }
        return sent;
    }

    private static void awaitAll(List<CompletableFuture<PutResult>> sent) throws Exception {
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
    }

    private void assertStoredOnceInOrder(int count) throws Exception {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(stored(partition)).isEqualTo(numbered(count));
        }
    }

    @Test
    void messagesGoOverOneStreamInTheirOrderAndNoneByACall() throws Exception {
        List<String> completed = new CopyOnWriteArrayList<>();
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            for (int i = 0; i < 2_000; i++) {
                String text = "m" + i;
                var unused = producer.send(1, OutgoingMessage.of(text)).thenRun(() -> completed.add(text));
            }
            awaitAll(send(producer, 2_000));
            producer.flush();
        }

        assertThat(completed).isEqualTo(numbered(2_000));
        assertThat(proxy.calls()).isZero();
        assertThat(proxy.upgrades()).isEqualTo(1);
        assertThat(stored(0)).isEqualTo(numbered(2_000));
    }

    @Test
    void messagesOfManyThreadsAreStoredOnceEachThreadsInItsOrder() throws Exception {
        int threads = 4;
        int each = 3_000;
        config = config.toBuilder()
                .maxBatchMessages(1)
                .deliveryTimeout(Duration.ofSeconds(SECONDS)) // before the test's: a put says what it failed by
                .build();
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                running.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < each; i++) {
                        var unused = producer.send(i % PARTITIONS, OutgoingMessage.of(number + " " + i));
                    }
                }));
            }
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
            producer.flush();
        }

        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<String> all = stored(partition);
            for (int thread = 0; thread < threads; thread++) {
                String prefix = thread + " ";
                int first = partition;
                assertThat(all.stream().filter(text -> text.startsWith(prefix)))
                        .containsExactlyElementsOf(IntStream.range(0, each)
                                .filter(i -> i % PARTITIONS == first)
                                .mapToObj(i -> prefix + i)
                                .toList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSE", "SILENT", "CUT_ANSWER", "CUT_REQUEST"})
    void messagesGoByCallsWhereNoStreamIsOpened(StreamProxy.Manner manner) throws Exception {
        proxy.manner(manner);

        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            awaitAll(send(producer, 50));
        }

        assertThat(proxy.calls()).isPositive();
        assertThat(proxy.upgrades()).isPositive();
        assertStoredOnceInOrder(50);
    }

    @Test
    void listenerThatFailsLosesNoPut() throws Exception {
        client.close();
        client = new TalosClient(ClientConfig.of(server.endpoint())
                .withEndpoints(List.of(proxy.uri()))
                .withoutDirectRouting()
                .withTransport(Transport.STREAM)
                .withListener(new ClientListener() {
                    @Override
                    public void called(String call, URI at, Duration took, Optional<TalosClientException> failure) {
                        throw new IllegalStateException("the program's own");
                    }
                }));
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            int sent = 0;
            while (proxy.toServer() == 0) {
                producer.send(0, OutgoingMessage.of("m" + sent++)).get(SECONDS, TimeUnit.SECONDS);
            }
            assertThat(stored(0)).isEqualTo(numbered(sent));
        }
    }

    @Test
    void messagesGoOverAStreamAgainOnceThereIsOne() throws Exception {
        proxy.manner(StreamProxy.Manner.CUT_REQUEST);
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            awaitAll(send(producer, 50));
            proxy.manner(StreamProxy.Manner.PASS);
            int next = 50;
            while (proxy.toServer() == 0) {
                producer.send(0, OutgoingMessage.of("m" + next)).get(SECONDS, TimeUnit.SECONDS);
                next++;
            }
            assertThat(stored(0)).isEqualTo(numbered(next));
        }
    }

    @Test
    void whatWasInFlightOnCutStreamsIsStoredOnceAndInOrder() throws Exception {
        Random random = new Random(Long.getLong("talos.test.seed", 7));
        int round = 0;
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            List<CompletableFuture<PutResult>> sent = new ArrayList<>();
            for (; round < 20 || proxy.upgrades() <= 5; round++) { // ever longer without one after a cut
                proxy.cutAfter(600 + random.nextInt(2_000)); // of which the opening takes less than 300
                for (int i = 0; i < 50; i++) {
                    for (int partition = 0; partition < PARTITIONS; partition++) {
                        sent.add(producer.send(partition, OutgoingMessage.of("m" + (50 * round + i))));
                    }
                }
                if (random.nextBoolean()) {
                    sent.get(random.nextInt(sent.size())).get(SECONDS, TimeUnit.SECONDS);
                    proxy.cut();
                }
            }
            proxy.cutAfter(Integer.MAX_VALUE);
            awaitAll(sent);
        }

        assertStoredOnceInOrder(50 * round);
    }

    @Test
    void putsWhoseAnswersWereLostAreStoredOnce() throws Exception {
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            awaitAll(send(producer, 10));
            proxy.losesAnswers(true);
            List<CompletableFuture<PutResult>> sent = new ArrayList<>();
            for (int i = 10; i < 60; i++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    sent.add(producer.send(partition, OutgoingMessage.of("m" + i)));
                }
            }
            await().atMost(Duration.ofSeconds(SECONDS)).until(() -> stored(2).size() > 12);
            assertThat(sent).noneMatch(CompletableFuture::isDone);

            proxy.losesAnswers(false);
            proxy.cut();

            awaitAll(sent);
        }
        assertStoredOnceInOrder(60);
    }

    @Test
    void streamThatAnswersNothingAnyMoreIsLeft() throws Exception {
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            awaitAll(send(producer, 10));
            proxy.losesAnswers(true);
            List<CompletableFuture<PutResult>> sent = new ArrayList<>();
            for (int i = 10; i < 30; i++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    sent.add(producer.send(partition, OutgoingMessage.of("m" + i)));
                }
            }
            await().atMost(Duration.ofSeconds(SECONDS)).until(() -> proxy.upgrades() > 1);
            proxy.losesAnswers(false);
            awaitAll(sent);
        }
        assertStoredOnceInOrder(30);
    }

    @Test
    void messageWhoseTimeIsOverOnASilentStreamMayHaveBeenStored() throws Exception {
        config = config.toBuilder().deliveryTimeout(Duration.ofMillis(1_500)).build();
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            awaitAll(send(producer, 1));
            proxy.losesAnswers(true);

            Throwable failure = catchThrowable(
                    () -> producer.send(0, OutgoingMessage.of("m1")).get(SECONDS, TimeUnit.SECONDS));

            assertThat(failure).hasCauseInstanceOf(UnknownOutcomeException.class);
        }
        assertThat(stored(0)).isEqualTo(numbered(2));
    }

    @Test
    void putLargerThanTheWindowGoesByACallBetweenTheOthers() throws Exception {
        client.close();
        client = client(Transport.STREAM.withWindow(64 << 10));
        String large = "large".repeat(40_000);
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            List<CompletableFuture<PutResult>> sent = new ArrayList<>();
            for (String text : List.of("a", "b", large, "c", "d", "e", large, "f")) {
                sent.add(producer.send(0, OutgoingMessage.of(text)));
            }
            awaitAll(sent);
        }

        assertThat(stored(0)).containsExactly("a", "b", large, "c", "d", "e", large, "f");
        assertThat(proxy.calls()).isBetween(1, 4); // with small ones in the same batches
    }

    @Test
    void putThatIsTooLargeForTheServerFailsOnceWithTheServersWords() throws Exception {
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            CompletableFuture<PutResult> before = producer.send(0, OutgoingMessage.of("m0"));
            CompletableFuture<PutResult> large = producer.send(0, OutgoingMessage.of("x".repeat(3 << 20)));
            CompletableFuture<PutResult> behind = producer.send(0, OutgoingMessage.of("m1"));

            Throwable failure = catchThrowable(() -> large.get(SECONDS, TimeUnit.SECONDS));
            // The server closes the connection behind its answer while bytes are on their way, and that may overtake
            // it:
            // the put is repeated then, and what became of it the first time is not known.
            assertThat(failure.getCause()).isInstanceOfAny(FatalException.class, UnknownOutcomeException.class);
            assertThat(failure).hasMessageContaining("413");
            before.get(SECONDS, TimeUnit.SECONDS);
            behind.get(SECONDS, TimeUnit.SECONDS);
        }
        assertThat(stored(0)).isEqualTo(numbered(2));
    }

    @Test
    void rightThatIsGoneFailsTheMessageAndNotTheStream() throws Exception {
        NewCredential ann = server.admin().addUser("ann", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.PUT, Right.GET));
        ClientConfig of = ClientConfig.of(proxy.uri(), ann.accessKey(), ann.secretKey())
                .withoutDirectRouting()
                .withTransport(Transport.STREAM);
        try (TalosClient anns = new TalosClient(of);
                TalosProducer producer = new TalosProducer(anns, "orders", config)) {
            producer.send(0, OutgoingMessage.of("m0")).get(SECONDS, TimeUnit.SECONDS);
            server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.GET));

            Throwable failure = catchThrowable(
                    () -> producer.send(0, OutgoingMessage.of("x")).get(SECONDS, TimeUnit.SECONDS));

            assertThat(failure).hasCauseInstanceOf(FatalException.class);
            assertThat(((FatalException) failure.getCause()).code()).isEqualTo("PERMISSION_DENIED_ERROR");
            server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.PUT, Right.GET));
            producer.send(0, OutgoingMessage.of("m1")).get(SECONDS, TimeUnit.SECONDS);
        }
        assertThat(proxy.upgrades()).isEqualTo(1);
        assertThat(stored(0)).isEqualTo(numbered(2));
    }

    @Test
    void closingSendsWhatIsBufferedAndReportsNothing() throws Exception {
        TalosProducer producer = new TalosProducer(client, "orders", config);
        var unused = send(producer, 500);

        CloseReport report = producer.close(Duration.ofSeconds(SECONDS));

        assertThat(report.isClean()).isTrue();
        assertStoredOnceInOrder(500);
    }

    @Test
    void closingASilentStreamReportsWhatMayHaveBeenStored() throws Exception {
        TalosProducer producer = new TalosProducer(client, "orders", config);
        awaitAll(send(producer, 1));
        proxy.losesAnswers(true);
        CompletableFuture<PutResult> unanswered = producer.send(0, OutgoingMessage.of("m1"));
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> stored(0).size() > 1);

        CloseReport report = producer.close(Duration.ZERO);

        assertThat(report.unknown()).isEqualTo(1);
        assertThat(catchThrowable(() -> unanswered.get(SECONDS, TimeUnit.SECONDS)))
                .hasCauseInstanceOf(UnknownOutcomeException.class);
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> stored(0).size() == 2);
    }

    @Test
    void serverThatStopsAndComesBackLosesAndDoublesNothing() throws Exception {
        try (TalosProducer producer = new TalosProducer(client, "orders", config)) {
            List<CompletableFuture<PutResult>> sent = new ArrayList<>(send(producer, 200));
            CompletableFuture<?> stopped = CompletableFuture.runAsync(server::close);
            for (int i = 200; i < 400; i++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    sent.add(producer.send(partition, OutgoingMessage.of("m" + i)));
                }
            }
            stopped.get(SECONDS, TimeUnit.SECONDS);
            startServer();
            awaitAll(sent);
        }
        assertStoredOnceInOrder(400);
    }
}
