// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.talos.client.ScriptedServer.error;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.thrift.ErrorCode;

/** The bytes that a producer puts of a message, and the result that the program gets. */
@Timeout(60)
class SentMessagesTest extends ProducerFixture {
    /** Programs serialize one message after another into the same array. */
    @Test
    void arrayMayBeUsedAgainOnceItsMessageIsMade() throws Exception {
        config = config.toBuilder().maxBatchMessages(2).linger(LONG).build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            byte[] array = {'a'};
            CompletableFuture<PutResult> first = producer.send(OutgoingMessage.of(array));
            array[0] = 'b';
            CompletableFuture<PutResult> second =
                    producer.send(new OutgoingMessage(array, Optional.of("k"), Map.of()).withHeader("h", "1"));
            array[0] = 'c';

            assertThat(first).succeedsWithin(LONG);
            assertThat(second).succeedsWithin(LONG);
        }
        assertThat(texts(puts().get(0))).containsExactly("a", "b");
    }

    @Test
    void bytesThatAMessageHandsOutAreNotItsOwn() {
        OutgoingMessage message = OutgoingMessage.of("a");

        message.body()[0] = 'b';

        assertThat(message.body()).isEqualTo(new byte[] {'a'});
        assertThat(message.bodyLength()).isEqualTo(1);
    }

    /** As over REST, by the command and by other producers. */
    @Test
    void messageMayHaveNoBytes() throws Exception {
        config = config.toBuilder().maxBatchMessages(2).linger(LONG).build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            CompletableFuture<PutResult> none = producer.send(OutgoingMessage.of(new byte[0]));
            CompletableFuture<PutResult> keyed =
                    producer.send(OutgoingMessage.of("").withKey("k"));

            assertThat(none).succeedsWithin(LONG);
            assertThat(keyed).succeedsWithin(LONG);
        }
        assertThat(texts(puts().get(0))).containsExactly("", "");
    }

    @Test
    void headersGoWithTheMessageByNamesInLowerCase() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            producer.send(OutgoingMessage.of("a").withHeader("Trace-Id", "ü")).get();
        }
        assertThat(messages(puts().get(0)).get(0).getHeaders())
                .containsExactly(Map.entry("trace-id", StandardCharsets.UTF_8.encode("ü")));
        assertThat(catchThrowable(() -> OutgoingMessage.of("a").withHeader("large", "x".repeat(10_000))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void headersOfAnyBytesGoAsTheyAreAndAreCopied() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        stored(1);
        byte[] id = {0, -1, 'x'};
        try (TalosProducer producer = open(1)) {
            OutgoingMessage message =
                    OutgoingMessage.of("a").withHeader("Id", id).withHeader("none", new byte[0]);
            id[0] = 'y';
            producer.send(message).get();

            assertThat(message.headerBytes("ID")).hasValue(new byte[] {0, -1, 'x'});
            assertThat(message.headers()).containsExactly(Map.entry("id", "\u0000\ufffdx"), Map.entry("none", ""));
            assertThat(message.headerBytes("other")).isEmpty();
        }
        assertThat(messages(puts().get(0)).get(0).getHeaders())
                .containsOnly(
                        Map.entry("id", ByteBuffer.wrap(new byte[] {0, -1, 'x'})),
                        Map.entry("none", ByteBuffer.allocate(0)));
    }

    @Test
    void keyOfBytesIsTheTextThatTheyAre() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            producer.send(OutgoingMessage.of("a").withKey("schön".getBytes(StandardCharsets.UTF_8)))
                    .get();
        }
        assertThat(messages(puts().get(0)).get(0).getPartitionKey()).isEqualTo("schön");
    }

    /** Thrift's strings, and with them all SDKs' keys, are UTF-8: others would come out as another key. */
    @Test
    void keyOfOtherBytesIsRefusedByName() {
        assertThatThrownBy(() -> OutgoingMessage.of("a").withKey(new byte[] {'k', -1, 0}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key: 3 bytes that are not UTF-8 (expected: UTF-8; encode others, as in base64)");
    }

    @Test
    void callbackHearsOfAMessageToAPartitionOfTheProgramsChoice() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        try (TalosProducer producer = open(3)) {
            server.then(error(ErrorCode.PERMISSION_DENIED_ERROR, "no"));
            stored(1);
            CompletableFuture<String> refused = new CompletableFuture<>();
            CompletableFuture<PutResult> stored = new CompletableFuture<>();
            CompletableFuture<String> absent = new CompletableFuture<>();
            producer.send(
                    2,
                    OutgoingMessage.of("a"),
                    (result, failure) -> refused.complete(failure == null ? "stored" : failure.code()));
            producer.send(2, OutgoingMessage.of("b"), (result, failure) -> stored.complete(result));
            producer.send(
                    -1,
                    OutgoingMessage.of("c"),
                    (result, failure) -> absent.complete(failure == null ? "stored" : failure.code()));

            assertThat(absent).isCompletedWithValue("PARTITION_NOT_EXIST");
            assertThat(refused.get()).isEqualTo("PERMISSION_DENIED_ERROR");
            assertThat(stored.get()).isEqualTo(new PutResult("orders", 2, OptionalLong.empty()));
        }
    }
}
