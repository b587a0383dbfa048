// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.UnreadableBlockException;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/** A program that fetches piece by piece, over streams of a real server. */
@Timeout(120)
class StreamFetchTest extends StreamReadFixture {
    /** Fetches what follows until something has come over a stream; returns the next offset. */
    private long awaitStreamed(SimpleConsumer consumer) throws Exception {
        return awaitStreamed(consumer, 0);
    }

    private long awaitStreamed(SimpleConsumer consumer, int partition) throws Exception {
        long next = 0;
        long before = proxy.fromServer();
        while (proxy.fromServer() - before < LARGE) {
            producer.send(partition, OutgoingMessage.of("x".repeat(LARGE))).get();
            next = next(next, consumer.fetch(next, 100));
        }
        return next;
    }

    private static long next(long offset, List<FetchedMessage> messages) {
        return messages.isEmpty() ? offset : messages.get(messages.size() - 1).offset() + 1;
    }

    @Test
    void fetchesThatFollowEachOtherReadOnOverOneStream() throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, 0);
        long next = awaitStreamed(consumer);
        int gets = proxy.gets();

        put(1_000);
        List<String> texts = new CopyOnWriteArrayList<>();
        while (texts.size() < 1_000) {
            List<FetchedMessage> messages = consumer.fetch(next, 7);
            messages.forEach(each -> texts.add(each.text()));
            next = next(next, messages);
        }

        assertThat(texts)
                .isEqualTo(IntStream.range(0, 1_000)
                        .mapToObj(StreamReadFixture::text)
                        .toList());
        assertThat(proxy.gets()).isEqualTo(gets);
        assertThat(consumer.fetch(next, 7)).isEmpty();
        assertThat(proxy.gets()).isEqualTo(gets + 1);
        assertThat(proxy.upgrades()).isEqualTo(1);
        assertThat(consumer.fetch(next - 500, 1).get(0).text()).isEqualTo(text(500));
        assertThat(consumer.fetch(next - 3, 1).get(0).offset()).isEqualTo(next - 3);
        assertThat(consumer.fetch(next - 2, 1).get(0).offset()).isEqualTo(next - 2);
    }

    @Test
    void consumersOfSeveralPartitionsShareAStream() throws Exception {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
            long next = awaitStreamed(consumer, partition);
            producer.send(partition, OutgoingMessage.of("of " + partition)).get();

            assertThat(consumer.fetch(next, 10))
                    .extracting(FetchedMessage::text)
                    .containsExactly("of " + partition);
        }

        assertThat(proxy.upgrades()).isEqualTo(1);
    }

    @Test
    void consumersOfOnePartitionReadEachFromItsOffset() throws Exception {
        SimpleConsumer first = new SimpleConsumer(client, topic, 0);
        SimpleConsumer second = new SimpleConsumer(client, topic, 0);
        long end = awaitStreamed(first);
        long next = awaitStreamed(second);
        put(20);

        List<String> texts = new CopyOnWriteArrayList<>();
        for (long behind = next; behind < next + 20; end++) {
            assertThat(first.fetch(end, 1).get(0).offset()).isEqualTo(end);
            List<FetchedMessage> messages = second.fetch(behind, 1);
            messages.forEach(each -> texts.add(each.text()));
            behind = next(behind, messages);
        }

        assertThat(texts)
                .isEqualTo(
                        IntStream.range(0, 20).mapToObj(StreamReadFixture::text).toList());
        assertThat(proxy.upgrades()).isEqualTo(2);
    }

    @Test
    void consumerThatKeepsOthersWaitingGetsAStreamOfItsOwn() throws Exception {
        client.close();
        client = client(Transport.STREAM.withWindow(64 << 10));
        SimpleConsumer slow = new SimpleConsumer(client, topic, 0);
        SimpleConsumer quick = new SimpleConsumer(client, topic, 1);
        long slowNext = awaitStreamed(slow, 0);
        long quickNext = awaitStreamed(quick, 1);
        long before = proxy.fromServer();
        List<String> texts = IntStream.range(0, 40)
                .mapToObj(number -> "y".repeat(LARGE) + number)
                .toList();
        for (String each : texts) {
            producer.send(0, OutgoingMessage.of(each)).get();
        }
        awaiting().until(() -> proxy.fromServer() - before > 60_000); // no room for one more

        int gets;
        do {
            gets = proxy.gets();
            producer.send(1, OutgoingMessage.of("z".repeat(LARGE))).get();
            quickNext = next(quickNext, quick.fetch(quickNext, 10));
        } while (proxy.gets() > gets);
        List<String> seen = new CopyOnWriteArrayList<>();
        while (seen.size() < texts.size()) {
            List<FetchedMessage> messages = slow.fetch(slowNext, 1);
            messages.forEach(each -> seen.add(each.text()));
            slowNext = next(slowNext, messages);
        }

        assertThat(seen).isEqualTo(texts);
        assertThat(proxy.upgrades()).isEqualTo(2);
    }

    /** A program that reads until there is nothing takes an empty answer for the end. */
    @Test
    void whatTheStreamDoesNotBringInTimeIsNotSaidToBeMissing() throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, 0);
        long next = awaitStreamed(consumer);
        proxy.losesAnswers(true);
        producer.send(0, OutgoingMessage.of("late")).get();

        assertThat(consumer.fetch(next, 10)).extracting(FetchedMessage::text).containsExactly("late");

        proxy.losesAnswers(false);
        producer.send(0, OutgoingMessage.of("later")).get();
        assertThat(consumer.fetch(next + 1, 10))
                .extracting(FetchedMessage::text)
                .containsExactly("later");
    }

    @Test
    void fetchOverAStreamFailsAsOneByACall() throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, 0);
        long next = awaitStreamed(consumer);
        putUnreadable(0, 5);
        producer.send(0, OutgoingMessage.of("behind")).get();

        Throwable failure = catchThrowable(() -> consumer.fetch(next, 10));

        assertThat(failure).isInstanceOf(UnreadableBlockException.class);
        assertThat(((UnreadableBlockException) failure).lastOffset()).isEqualTo(next + 4);
        assertThat(consumer.fetch(next + 5, 10).get(0).text()).isEqualTo("behind");
        assertThat(consumer.fetch(next + 6, 10)).isEmpty();
        server.admin().deleteTopic("orders");
        assertThat(code(consumer, next + 6)).isEqualTo("TOPIC_NOT_EXIST");
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void streamOfAFetchThatWasInterruptedIsClosed() throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, 0);
        long next = awaitStreamed(consumer);

        Thread.currentThread().interrupt();
        Throwable failure = catchThrowable(() -> consumer.fetch(next, 10));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure).isInstanceOf(TalosClientException.class);
        awaiting().atMost(100, TimeUnit.SECONDS).until(() -> proxy.open() == 0);
    }

    private static String code(SimpleConsumer consumer, long offset) {
        Throwable failure = catchThrowable(() -> consumer.fetch(offset, 10));
        assertThat(failure).isInstanceOf(FatalException.class);
        return ((TalosClientException) failure).code();
    }

    @Test
    void rightThatIsGoneEndsAStreamsReadingAndNotTheStream() throws Exception {
        NewCredential ann = server.admin().addUser("ann", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.GET));
        ClientConfig of = ClientConfig.of(proxy.uri(), ann.accessKey(), ann.secretKey())
                .withoutDirectRouting()
                .withTransport(Transport.STREAM);
        try (TalosClient anns = new TalosClient(of)) {
            SimpleConsumer consumer = new SimpleConsumer(anns, topic, 0);
            long next = awaitStreamed(consumer);
            server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.PUT));
            producer.send(0, OutgoingMessage.of("hidden")).get();

            assertThat(code(consumer, next)).isEqualTo("PERMISSION_DENIED_ERROR");

            server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.GET));
            assertThat(consumer.fetch(next, 10).get(0).text()).isEqualTo("hidden");
        }
        assertThat(proxy.upgrades()).isEqualTo(1);
        awaiting().until(() -> proxy.open() == 0); // the client has closed what was open
    }

    @Test
    void messagesOfAnotherTopicOfTheNameAreNotRead() throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, 0);
        long next = awaitStreamed(consumer);
        server.admin().deleteTopic("orders");
        TopicDescription other = server.admin().createTopic(NewTopic.of("orders", topic.partitions()));
        SimpleProducer others = new SimpleProducer(client, other, Compression.NONE);
        for (long i = 0; i <= next; i++) {
            others.put(0, List.of(OutgoingMessage.of("another's")));
        }

        assertThat(code(consumer, next)).isEqualTo("TOPIC_NOT_EXIST");
    }
}
