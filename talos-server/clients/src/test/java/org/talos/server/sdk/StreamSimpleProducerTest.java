// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClient;
import org.talos.client.Transport;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.SimpleProducer;

/** The SDK's producer that waits for each put, over streams of a real server, with what a network does between them. */
@Timeout(120)
class StreamSimpleProducerTest {
    @TempDir
    private Path data;

    private StreamFixture streams;
    private StreamProxy proxy;
    private TopicDescription topic;
    private SimpleProducer producer;

    @BeforeEach
    void start() throws Exception {
        streams = new StreamFixture(data, 2);
        proxy = streams.proxy;
        topic = streams.topic;
        producer = new SimpleProducer(streams.client, topic, Compression.NONE);
    }

    @AfterEach
    void close() throws Exception {
        streams.close();
    }

    private static List<OutgoingMessage> messages(String... texts) {
        return List.of(texts).stream().map(OutgoingMessage::of).toList();
    }

    private List<String> stored() throws Exception {
        return streams.stored(topic, 0);
    }

    @Test
    void putsGoOverOneStreamAndNoneByACall() throws Exception {
        producer.put(0, messages("a", "b"));
        producer.put(1, messages("other"));
        producer.put(0, messages("c"));

        assertThat(stored()).containsExactly("a", "b", "c");
        assertThat(proxy.upgrades()).isEqualTo(1);
        assertThat(proxy.calls()).isZero();
    }

    @Test
    void acknowledgementOfAStreamHasTheOffsetThatOfACallHasNone() throws Exception {
        SimpleProducer.Prepared put = producer.prepare(0, messages("a", "b"));
        assertThat(producer.repeat(put)).isEqualTo(new PutResult("orders", 0, OptionalLong.of(0)));
        assertThat(producer.put(0, messages("c"))).isEqualTo(new PutResult("orders", 0, OptionalLong.of(2)));
        assertThat(producer.repeat(put).offset()).hasValue(0);
        try (PipelinedProducer pipelined = new PipelinedProducer(streams.client, topic, Compression.NONE)) {
            assertThat(pipelined.put(0, messages("d")).get()).isEqualTo(new PutResult("orders", 0, OptionalLong.of(3)));
        }
        try (TalosClient calls = new TalosClient(streams.server.endpoint());
                SimpleProducer calling = new SimpleProducer(calls, topic, Compression.NONE)) {
            assertThat(calling.put(0, messages("e"))).isEqualTo(new PutResult("orders", 0));
        }
    }

    @ParameterizedTest
    @EnumSource(names = "REFUSE", mode = EnumSource.Mode.EXCLUDE) // after which no stream is tried for a while
    void putThatIsRepeatedIsStoredOnceHoweverItFirstWent(StreamProxy.Manner manner) throws Exception {
        proxy.manner(manner);
        SimpleProducer.Prepared put = producer.prepare(0, messages("once"));
        SimpleProducer.Prepared later = producer.prepare(0, messages("later"));

        producer.repeat(put);
        proxy.manner(StreamProxy.Manner.PASS);
        int next = 0;
        while (proxy.toServer() == 0) {
            producer.put(1, messages("m" + next++));
        }
        producer.repeat(later);
        producer.repeat(put);
        proxy.cut();
        producer.repeat(put);
        producer.repeat(later);

        assertThat(stored()).containsExactly("once", "later");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void putThatAnotherProducerRepeatsIsStoredOnce(boolean streamed) throws Exception {
        ClientConfig direct =
                ClientConfig.of(streams.server.endpoint()).withTransport(streamed ? Transport.STREAM : Transport.CALLS);
        SimpleProducer.Prepared put;
        try (TalosClient first = new TalosClient(direct);
                SimpleProducer before = new SimpleProducer(first, topic, Compression.NONE)) {
            before.put(0, messages("before"));
            put = before.prepare(0, messages("once"));
            before.repeat(put);
        }
        try (TalosClient second = new TalosClient(direct);
                SimpleProducer after = new SimpleProducer(second, topic, Compression.NONE)) {
            after.put(0, messages("after"));
            after.repeat(put);
            after.put(0, messages("last"));
        }

        assertThat(stored()).containsExactly("before", "once", "after", "last");
    }

    @Test
    void putOfAStreamIsRefusedByAClientWithoutOnesAndTheOtherWayRoundIsCalled() throws Exception {
        producer.put(0, messages("a"));
        SimpleProducer.Prepared streamed = producer.prepare(0, messages("streamed"));
        producer.repeat(streamed);
        try (TalosClient calls = new TalosClient(streams.server.endpoint())) {
            SimpleProducer calling = new SimpleProducer(calls, topic, Compression.NONE);
            SimpleProducer.Prepared called = calling.prepare(0, messages("called"));
            calling.repeat(called);

            assertThatThrownBy(() -> calling.repeat(streamed))
                    .isInstanceOf(UnknownOutcomeException.class)
                    .hasMessageContaining("only one can repeat it");
            producer.repeat(called);
        }

        assertThat(stored()).containsExactly("a", "streamed", "called");
    }

    @Test
    void putThatAStreamHasStoredIsNotRepeatedByACall() throws Exception {
        SimpleProducer once = new SimpleProducer(streams.client.once(), topic, Compression.NONE);
        SimpleProducer.Prepared put = once.prepare(0, messages("once"));
        once.repeat(put);
        proxy.manner(StreamProxy.Manner.REFUSE);
        proxy.cut();
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            once.put(1, messages("by a call")); // fails while the cut is not noticed
            return proxy.calls() > 0;
        });
        int calls = proxy.calls();

        assertThatThrownBy(() -> once.repeat(put)).isInstanceOf(UnknownOutcomeException.class);

        assertThat(proxy.calls()).isEqualTo(calls);
        assertThat(stored()).containsExactly("once");
    }

    @Test
    void putsThroughCutsAreStoredOnceAndInTheirOrder() throws Exception {
        Random random = new Random(Long.getLong("talos.test.seed", 7));
        int puts = 0;
        for (; puts < 100 || proxy.upgrades() <= 2; puts++) { // ever longer without one after a cut
            if (puts % 10 == 0) {
                proxy.cutAfter(600 + random.nextInt(1_000)); // of which the opening takes less than 300
            }
            producer.put(0, messages("m" + puts));
        }

        assertThat(stored())
                .isEqualTo(IntStream.range(0, puts).mapToObj(i -> "m" + i).toList());
    }

    @Test
    void putWithoutAnAnswerThatIsMadeOnceMayHaveBeenStoredAndIsSentAgainUnderItsIdentity() throws Exception {
        SimpleProducer once = new SimpleProducer(streams.client.once(), topic, Compression.NONE);
        once.put(0, messages("m0"));
        SimpleProducer.Prepared put = once.prepare(0, messages("m1"));
        proxy.losesAnswers(true);

        assertThatThrownBy(() -> once.repeat(put)).isInstanceOf(UnknownOutcomeException.class);
        proxy.losesAnswers(false);
        once.repeat(put);

        assertThat(stored()).containsExactly("m0", "m1");
        assertThat(proxy.calls()).isZero();
    }

    @Test
    void failuresAreThoseOfCalls() throws Exception {
        NewCredential ann = streams.server.admin().addUser("ann", false, List.of(), List.of());
        streams.server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.PUT, Right.GET));
        ClientConfig of = ClientConfig.of(proxy.uri(), ann.accessKey(), ann.secretKey())
                .withoutDirectRouting()
                .withTransport(Transport.STREAM);
        try (TalosClient anns = new TalosClient(of)) {
            SimpleProducer hers = new SimpleProducer(anns, topic, Compression.NONE);
            hers.put(0, messages("m0"));
            streams.server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.GET));

            assertThatThrownBy(() -> hers.put(0, messages("x")))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("PERMISSION_DENIED_ERROR");
            assertThatThrownBy(() -> producer.put(9, messages("x")))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("PARTITION_NOT_EXIST");
        }
        assertThat(stored()).containsExactly("m0");
    }

    @Test
    void nothingIsPutIntoAnotherTopicOfTheName() throws Exception {
        producer.put(0, messages("m0"));
        streams.server.admin().deleteTopic("orders");
        TopicDescription other = streams.server.admin().createTopic(NewTopic.of("orders", 2));

        assertThatThrownBy(() -> producer.put(0, messages("x")))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("TOPIC_NOT_EXIST");

        assertThat(streams.stored(other, 0)).isEmpty();
    }

    @Test
    void producerThatIsClosedPutsNothing() throws Exception {
        producer.put(0, messages("m0"));

        producer.close();

        assertThatThrownBy(() -> producer.put(0, messages("m1")))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("CLOSED");
        assertThat(stored()).containsExactly("m0");
    }
}
