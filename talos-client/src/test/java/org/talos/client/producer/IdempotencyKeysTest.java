// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.error;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.common.name.Partitioner;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PutMessageRequest;

/** Puts whose identity the program chooses. */
@Timeout(60)
class IdempotencyKeysTest extends ProducerFixture {
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 4, Duration.ofDays(1));

    private static List<OutgoingMessage> of(String... texts) {
        return List.of(texts).stream().map(OutgoingMessage::of).toList();
    }

    private static String identity(List<OutgoingMessage> messages) {
        return new PutKey("row-17").sequenceId(messages);
    }

    private static String identity(OutgoingMessage message) {
        return identity(List.of(message));
    }

    @Test
    void messagesUnderAKeyAreOnePutWithThatKeyWhoeverPutsThem() throws Exception {
        stored(3);
        try (TalosProducer producer = open(4)) {
            assertThat(producer.send(2, of("a", "b"), "row-17").get()).isEqualTo(new PutResult("orders", 2));
        }
        config = config.toBuilder().compression(Compression.GZIP).build();
        try (TalosProducer again = open(4)) {
            again.send(2, of("a", "b"), "row-17").get();
        }
        try (TalosClient client = client();
                SimpleProducer simple = new SimpleProducer(client, TOPIC, Compression.NONE)) {
            assertThat(simple.put(2, of("a", "b"), "row-17")).isEqualTo(new PutResult("orders", 2));
        }

        assertThat(puts()).extracting(PutMessageRequest::getSequenceId).containsOnly(identity(of("a", "b")));
        assertThat(puts()).hasSize(3);
        assertThat(texts(puts().get(0))).containsExactly("a", "b");
        assertThat(identity(of("a", "b"))).matches("\u0001row-17\u0001[0-9a-f]{64}");
    }

    @Test
    void otherMessagesHaveAnotherIdentity() {
        OutgoingMessage message =
                OutgoingMessage.of("a").withKey("k").withHeader("x", "1").withHeader("y", "2");

        assertThat(List.of(
                        identity(message),
                        identity(message.withKey("l")),
                        identity(message.withHeader("x", "2")),
                        identity(message.withHeader("z", "")),
                        identity(OutgoingMessage.of("a")),
                        identity(OutgoingMessage.of("a").withKey("")),
                        identity(of("a", "b")),
                        identity(of("ab", "")),
                        identity(of("b", "a"))))
                .doesNotHaveDuplicates();
    }

    /** A restarted program need not have its headers in the same order, and traces again. */
    @Test
    void identityIsThatOfTheMessagesAlone() {
        OutgoingMessage message =
                OutgoingMessage.of("a").withKey("k").withHeader("x", "1").withHeader("y", "2");
        Map<String, String> headers = new HashMap<>(Map.of("Y", "2", "X", "1", "traceparent", "00-1-1-01"));

        assertThat(identity(new OutgoingMessage(new byte[] {'a'}, Optional.of("k"), headers)))
                .isEqualTo(identity(message));
        assertThat(identity(message.withHeader("tracestate", "a=b"))).isEqualTo(identity(message));
    }

    @Test
    void keyThatWasUsedForOtherMessagesIsNamed() throws Exception {
        server.then(error(ErrorCode.LOCK_VALUE_NOT_EXPECTED, "the key of this put was used for another put"));
        try (TalosProducer producer = open(1)) {
            TalosClientException failure = failure(producer.send(0, of("a"), "row-17"));

            assertThat(failure)
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("its idempotency key was used for a put of other messages");
            assertThat(failure.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
        }
        server.then(error(ErrorCode.LOCK_VALUE_NOT_EXPECTED, "the key of this put was used for another put"));
        try (TalosClient client = client();
                SimpleProducer simple = new SimpleProducer(client, TOPIC, Compression.NONE)) {
            assertThatThrownBy(() -> simple.put(0, of("a"), "row-17"))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("IDEMPOTENCY_KEY_REUSED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "row 17", "reihe-ö", "row\n17"})
    void keyThatNoServerTakesIsRefusedByName(String key) throws Exception {
        try (TalosProducer producer = open(1)) {
            assertThatThrownBy(() -> producer.send(0, of("a"), key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("idempotencyKey of " + key.length()
                            + " characters (expected: 1 to 255, visible ones of ASCII)");
            assertThatThrownBy(() -> producer.send(OutgoingMessage.of("a"), "x".repeat(256)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> producer.send(0, List.of(), "row-17"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("messages");
        }
        assertThat(puts()).isEmpty();
    }

    @Test
    void messageGoesWhereItsKeyBelongsOrElseWhereItsIdentityDoes() throws Exception {
        stored(4);
        try (TalosProducer producer = open(16, Map.of(Partitioner.ATTRIBUTE, "sdk"))) {
            int keyed = producer.send(OutgoingMessage.of("a").withKey("k"), "row-17")
                    .get()
                    .partition();
            int first = producer.send(OutgoingMessage.of("a"), "row-17").get().partition();
            int again = producer.send(OutgoingMessage.of("a"), "row-17").get().partition();

            assertThat(keyed).isEqualTo(Partitioner.SDK.partition("k", 16));
            assertThat(first).isEqualTo(Partitioner.MURMUR2.partition("row-17", 16));
            assertThat(again).isEqualTo(first);
        }
    }
}
