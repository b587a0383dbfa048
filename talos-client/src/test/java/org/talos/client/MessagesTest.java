// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

@Timeout(30)
class MessagesTest {
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 4, Duration.ofDays(1));

    private ScriptedServer server;
    private TalosEndpoint endpoint;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        endpoint = new TalosEndpoint(server.uri(), "AKTEST", "a-secret");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private PutMessageRequest put(int index) {
        return server.asked().get(index).request(new PutMessageRequest());
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void putCarriesOneBlockInTheChosenCompression(Compression compression) throws Exception {
        server.then(result(new PutMessageResponse("x")));
        var producer = new SimpleProducer(new TalosClient(endpoint).once(), TOPIC, compression);

        producer.put(
                3, List.of(OutgoingMessage.of("one"), OutgoingMessage.of("two").withKey("k")));

        PutMessageRequest put = put(0);
        assertThat(put.getTopicAndPartition().getPartitionId()).isEqualTo(3);
        assertThat(put.getMessageNumber()).isEqualTo(2);
        assertThat(put.getMessageBlocks()).hasSize(1);
        MessageBlock block = put.getMessageBlocks().get(0);
        assertThat(block.getCompressionType().name()).isEqualTo(compression.name());
        assertThat(MessageBlocks.read(block, 1_000))
                .extracting(each -> new String(each.getMessage().getMessage(), StandardCharsets.UTF_8))
                .containsExactly("one", "two");
        assertThat(MessageBlocks.read(block, 1_000))
                .extracting(each -> Optional.ofNullable(each.getMessage().getPartitionKey()))
                .containsExactly(Optional.empty(), Optional.of("k"));
    }

    @Test
    void everyPutHasItsOwnIdentityAndARepetitionKeepsIt() throws Exception {
        for (int i = 0; i < 3; i++) {
            server.then(result(new PutMessageResponse("x")));
        }
        var producer = new SimpleProducer(new TalosClient(endpoint).once(), TOPIC, Compression.NONE);

        SimpleProducer.Prepared first = producer.prepare(0, List.of(OutgoingMessage.of("a")));
        producer.repeat(first);
        producer.repeat(first);
        producer.put(0, List.of(OutgoingMessage.of("a")));

        assertThat(put(0).getSequenceId()).matches(".+#1");
        assertThat(put(1).getSequenceId()).isEqualTo(put(0).getSequenceId());
        assertThat(put(1).getMessageBlocks()).isEqualTo(put(0).getMessageBlocks());
        assertThat(put(2).getSequenceId()).isEqualTo(put(0).getSequenceId().replace("#1", "#2"));
    }

    @Test
    void producersDoNotShareIdentities() {
        var one = new SimpleProducer(new TalosClient(endpoint).once(), TOPIC, Compression.NONE);
        var other = new SimpleProducer(new TalosClient(endpoint).once(), TOPIC, Compression.NONE);
        server.then(result(new PutMessageResponse("x"))).then(result(new PutMessageResponse("x")));

        assertThat(sequenceId(one, 0)).isNotEqualTo(sequenceId(other, 1));
    }

    private String sequenceId(SimpleProducer producer, int index) {
        try {
            producer.put(0, List.of(OutgoingMessage.of("a")));
        } catch (TalosClientException e) {
            throw new AssertionError(e);
        }
        return put(index).getSequenceId();
    }

    private static MessageBlock block(long offset, MessageCompressionType type, String... texts) {
        List<Message> messages = new ArrayList<>();
        for (String text : texts) {
            messages.add(new Message(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
        }
        MessageBlock block = MessageBlocks.write(messages, type, 1_000);
        block.setStartMessageOffset(offset);
        block.setAppendTimestamp(2_000);
        return block;
    }

    private void answerTwoBlocks() {
        var answer = new GetMessageResponse();
        answer.setMessageBlocks(List.of(
                block(10, MessageCompressionType.LZ4, "a", "b", "c"), block(13, MessageCompressionType.SNAPPY, "d")));
        answer.setMessageNumber(4);
        answer.setSequenceId("x");
        server.then(result(answer));
    }

    @Test
    void messagesBeforeTheRequestedOffsetAreDropped() throws Exception {
        answerTwoBlocks();

        List<FetchedMessage> messages = new SimpleConsumer(new TalosClient(endpoint).once(), TOPIC, 1).fetch(12, 50);

        assertThat(messages).extracting(FetchedMessage::offset).containsExactly(12L, 13L);
        assertThat(messages).extracting(FetchedMessage::text).containsExactly("c", "d");
        assertThat(messages).extracting(FetchedMessage::appended).containsOnly(Instant.ofEpochMilli(2_000));
        GetMessageRequest asked = server.asked().get(0).request(new GetMessageRequest());
        assertThat(asked.getMessageOffset()).isEqualTo(12);
        assertThat(asked.getMaxGetMessageNumber()).isEqualTo(50);
    }

    @Test
    void getOfEarliestOrLatestReturnsTheWholeBlock() throws Exception {
        answerTwoBlocks();
        answerTwoBlocks();
        var consumer = new SimpleConsumer(new TalosClient(endpoint).once(), TOPIC, 1);

        assertThat(consumer.fetch(SimpleConsumer.EARLIEST, 50)).hasSize(4);
        assertThat(consumer.fetch(SimpleConsumer.LATEST, 50)).hasSize(4);
    }

    @Test
    void tornBlockIsAFailureNotAGap() {
        MessageBlock torn = block(0, MessageCompressionType.NONE, "a", "b");
        torn.setMessageNumber(3);
        var answer = new GetMessageResponse();
        answer.setMessageBlocks(List.of(torn));
        answer.setMessageNumber(3);
        answer.setSequenceId("x");
        server.then(result(answer));

        var failure = catchThrowableOfType(
                TalosClientException.class,
                () -> new SimpleConsumer(new TalosClient(endpoint).once(), TOPIC, 0).fetch(0, 50));

        assertThat(failure.code()).isEqualTo("MALFORMED");
    }

    private void answer(MessageBlock... blocks) {
        var answer = new GetMessageResponse();
        answer.setMessageBlocks(List.of(blocks));
        answer.setMessageNumber(blocks.length);
        answer.setSequenceId("x");
        server.then(result(answer));
    }

    private UnreadableBlockException failure(SimpleConsumer consumer, long offset) {
        return catchThrowableOfType(UnreadableBlockException.class, () -> consumer.fetch(offset, 50));
    }

    @Test
    void whatIsBeforeABrokenBlockComesThenItsOffsets() throws Exception {
        MessageBlock broken = block(13, MessageCompressionType.GZIP, "d", "e");
        broken.getMessageBlock()[15] ^= -1;
        var consumer = new SimpleConsumer(new TalosClient(endpoint).once(), TOPIC, 2);
        answer(block(10, MessageCompressionType.NONE, "a", "b", "c"), broken);
        answer(broken, block(15, MessageCompressionType.NONE, "f"));

        assertThat(consumer.fetch(11, 50)).extracting(FetchedMessage::text).containsExactly("b", "c");
        UnreadableBlockException failure = failure(consumer, 14);

        assertThat(failure.topic()).isEqualTo("orders");
        assertThat(failure.partition()).isEqualTo(2);
        assertThat(failure.firstOffset()).isEqualTo(13);
        assertThat(failure.lastOffset()).isEqualTo(14);
        assertThat(failure.code()).isEqualTo("MALFORMED");
        assertThat(failure).hasMessageContaining("partition 2 of orders").hasMessageContaining("continue at 15");
    }

    @Test
    void putOfUnknownEffectFailsWithUnknownOutcome() {
        server.then(error(ErrorCode.HDFS_OPERATION_FAILED, "the disk"));

        var failure = catchThrowableOfType(
                TalosClientException.class,
                () -> new SimpleProducer(new TalosClient(endpoint).once(), TOPIC, Compression.NONE)
                        .put(0, List.of(OutgoingMessage.of("a"))));

        assertThat(failure.outcome()).isEqualTo(TalosClientException.Outcome.UNKNOWN);
        assertThat(failure).hasMessageContaining("the disk");
    }

    @Test
    void textsOfRecordsHaveNoSecret() {
        assertThat(endpoint.toString()).doesNotContain("a-secret");
        assertThat(new NewCredential("AK", "a-secret").toString()).doesNotContain("a-secret");
    }
}
