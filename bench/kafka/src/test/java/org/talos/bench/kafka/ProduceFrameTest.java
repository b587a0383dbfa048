// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponseCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

class ProduceFrameTest {
    private static final int SIZE = 1_000;
    private static final int PARTITION = 3;

    private final byte[] message = new byte[SIZE];
    private final ProduceFrame frame;

    ProduceFrameTest() {
        new Random(1).nextBytes(message);
        frame = new ProduceFrame("peers", PARTITION, new ProducerIdentity(7, (short) 2), message.clone());
    }

    private static ByteBuffer answer(int correlation, Errors error, long offset) {
        PartitionProduceResponse outcome = new PartitionProduceResponse()
                .setIndex(PARTITION)
                .setErrorCode(error.code())
                .setBaseOffset(offset);
        TopicProduceResponseCollection topics = new TopicProduceResponseCollection();
        topics.add(new TopicProduceResponse().setName("peers").setPartitionResponses(List.of(outcome)));
        return BrokerAnswers.of(
                ApiKeys.PRODUCE, ProduceFrame.VERSION, correlation, new ProduceResponseData().setResponses(topics));
    }

    @Test
    void putIsReadByKafkasOwnClasses() {
        var unused = frame.put(0, 5);
        ByteBuffer request = frame.put(1, 99);

        assertThat(request.getInt()).isEqualTo(request.remaining());
        RequestHeader header = RequestHeader.parse(request);
        assertThat(header.apiKey()).isEqualTo(ApiKeys.PRODUCE);
        assertThat(header.correlationId()).isEqualTo(2);
        ProduceRequestData put = new ProduceRequestData(new ByteBufferAccessor(request), ProduceFrame.VERSION);
        assertThat(request.hasRemaining()).isFalse();
        assertThat(put.acks()).as("all replicas").isEqualTo((short) -1);
        assertThat(put.transactionalId()).isNull();
        TopicProduceData topic = put.topicData().iterator().next();
        assertThat(topic.name()).isEqualTo("peers");
        PartitionProduceData partition = topic.partitionData().get(0);
        assertThat(partition.index()).isEqualTo(PARTITION);
        checkBatch((MemoryRecords) partition.records());
    }

    private void checkBatch(MemoryRecords records) {
        RecordBatch batch = records.batches().iterator().next();
        batch.ensureValid(); // the checksum
        assertThat(batch.producerId()).isEqualTo(7);
        assertThat(batch.producerEpoch()).isEqualTo((short) 2);
        assertThat(batch.baseSequence()).isEqualTo(1);
        assertThat(batch.isCompressed()).isFalse();
        assertThat(batch.countOrNull()).isEqualTo(1);
        Record record = batch.iterator().next();
        assertThat(record.hasKey()).isFalse();
        assertThat(record.timestamp()).isEqualTo(batch.maxTimestamp());
        ByteBuffer value = record.value();
        assertThat(value.getLong()).isEqualTo(1);
        assertThat(value.getLong()).isEqualTo(99);
        assertThat(value).isEqualTo(ByteBuffer.wrap(message, 2 * Long.BYTES, SIZE - 2 * Long.BYTES));
    }

    @Test
    void putIsAcknowledgedOnceItsAnswerIsWhole() throws IOException {
        var unused = frame.put(0, 5);
        ByteBuffer answer = answer(1, Errors.NONE, 0);
        int whole = answer.limit();

        for (int bytes : List.of(0, 3, whole - 1)) {
            assertThat(frame.acknowledged(answer.limit(bytes))).isFalse();
            assertThat(answer.position()).isZero();
        }
        assertThat(frame.acknowledged(answer.limit(whole))).isTrue();
        assertThat(answer.hasRemaining()).isFalse();
    }

    @Test
    void putThatFailsOrLandsElsewhereIsRefused() {
        var unused = frame.put(4, 5);

        assertThatThrownBy(() -> frame.acknowledged(answer(1, Errors.NOT_LEADER_OR_FOLLOWER, -1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("NOT_LEADER_OR_FOLLOWER");
        assertThatThrownBy(() -> frame.acknowledged(answer(1, Errors.NONE, 3)))
                .isInstanceOf(IOException.class)
                .hasMessage("stored at offset 3 (expected: 4)");
        assertThatThrownBy(() -> frame.acknowledged(answer(2, Errors.NONE, 4)))
                .isInstanceOf(IOException.class)
                .hasMessage("an answer to request 2 (expected: 1)");
    }
}
