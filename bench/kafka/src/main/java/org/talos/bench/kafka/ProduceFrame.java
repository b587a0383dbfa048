// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.talos.bench.synchronous.FramedServer;
import org.talos.bench.synchronous.LeanClient;

/**
 * The request that puts one message to one partition, acknowledged by all replicas. Kafka's classes encode it once, and
 * each put changes its numbers, times, and checksum in place. Nobody else puts to the partition, so the offset of each
 * message is its number.
 *
 * <p>Confined: one connection.
 */
final class ProduceFrame implements LeanClient.Putter {
    /** The last version that names topics by name. */
    static final short VERSION = 12;

    private static final short ALL_REPLICAS = -1;
    private static final int TIMEOUT_MILLIS = 30_000;

    // Indexes in a batch of records, version 2.
    private static final int CRC_AT = 17;
    private static final int CHECKED_FROM = 21; // the checksum is of all from here on
    private static final int BASE_TIMESTAMP_AT = 27;
    private static final int MAX_TIMESTAMP_AT = 35;
    private static final int BASE_SEQUENCE_AT = 53;

    private final ByteBuffer request;
    private final int batchAt;
    private final int messageAt;
    private final ByteBuffer checked;
    private final CRC32C crc = new CRC32C();
    private int correlation;
    private long offset; // of the message that is in flight

    /** @param message number and time in front are those of each put */
    ProduceFrame(String topic, int partition, ProducerIdentity producer, byte[] message) {
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                producer.id(),
                producer.epoch(),
                0,
                new SimpleRecord(System.currentTimeMillis(), message));
        TopicProduceDataCollection topics = new TopicProduceDataCollection();
        topics.add(new TopicProduceData()
                .setName(topic)
                .setPartitionData(
                        List.of(new PartitionProduceData().setIndex(partition).setRecords(records))));
        request = KafkaWire.request(
                ApiKeys.PRODUCE,
                VERSION,
                new ProduceRequestData()
                        .setTransactionalId(null)
                        .setAcks(ALL_REPLICAS)
                        .setTimeoutMs(TIMEOUT_MILLIS)
                        .setTopicData(topics));
        ByteBuffer batch = records.buffer();
        batchAt = LeanClient.indexOf(request, batch);
        messageAt = LeanClient.indexOf(request, ByteBuffer.wrap(message));
        checked = request.slice(batchAt + CHECKED_FROM, batch.remaining() - CHECKED_FROM);
    }

    @Override
    public ByteBuffer put(long number, long nanos) {
        long now = System.currentTimeMillis();
        correlation++;
        offset = number;
        request.putInt(KafkaWire.CORRELATION_AT, correlation);
        request.putLong(batchAt + BASE_TIMESTAMP_AT, now);
        request.putLong(batchAt + MAX_TIMESTAMP_AT, now);
        request.putInt(batchAt + BASE_SEQUENCE_AT, (int) (number & Integer.MAX_VALUE));
        request.putLong(messageAt, number).putLong(messageAt + Long.BYTES, nanos);
        crc.reset();
        crc.update(checked.rewind());
        request.putInt(batchAt + CRC_AT, (int) crc.getValue());
        return request.rewind();
    }

    @Override
    public boolean acknowledged(ByteBuffer in) throws IOException {
        ByteBuffer answer = FramedServer.answer(in);
        if (answer == null) {
            return false;
        }
        ProduceResponseData outcomes =
                new ProduceResponseData(KafkaWire.body(answer, ApiKeys.PRODUCE, VERSION, correlation), VERSION);
        for (TopicProduceResponse topic : outcomes.responses()) {
            for (PartitionProduceResponse each : topic.partitionResponses()) {
                KafkaWire.check(each.errorCode());
                if (each.baseOffset() == offset) {
                    return true;
                }
                throw new IOException("stored at offset " + each.baseOffset() + " (expected: " + offset + ")");
            }
        }
        throw new IOException("an answer without an outcome");
    }
}
