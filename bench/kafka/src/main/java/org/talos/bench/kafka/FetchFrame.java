// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.talos.bench.synchronous.FramedServer;
import org.talos.bench.synchronous.LeanClient;

/**
 * The request that gets the next messages of one partition, with the bounds of Kafka's consumer. Kafka's classes encode
 * it once, and each get changes its number and its offset in place. Kafka's classes read the answers. They copy no
 * message and check no checksum: the load compares the bytes of each message.
 *
 * <p>Confined: one connection.
 */
final class FetchFrame implements LeanClient.Getter {
    /** The last version that names topics by name. */
    static final short VERSION = 12;

    private static final int LONGEST_WAIT_MILLIS = 500;
    private static final int MAX_BYTES = 50 << 20;
    private static final int MAX_PARTITION_BYTES = 1 << 20;
    private static final long NO_OFFSET = 0x7e7d_7c7b_7a79_7877L; // to be found in the encoded request

    private final ByteBuffer request;
    private final int offsetAt;
    private int correlation;
    private long next;
    private boolean awaited;

    FetchFrame(String topic, int partition) {
        FetchPartition from = new FetchPartition()
                .setPartition(partition)
                .setFetchOffset(NO_OFFSET)
                .setPartitionMaxBytes(MAX_PARTITION_BYTES);
        request = KafkaWire.request(
                ApiKeys.FETCH,
                VERSION,
                new FetchRequestData()
                        .setMaxWaitMs(LONGEST_WAIT_MILLIS)
                        .setMinBytes(1)
                        .setMaxBytes(MAX_BYTES)
                        .setTopics(List.of(new FetchTopic().setTopic(topic).setPartitions(List.of(from)))));
        offsetAt = LeanClient.indexOf(request, ByteBuffer.allocate(Long.BYTES).putLong(0, NO_OFFSET));
    }

    @Override
    public ByteBuffer request() {
        if (awaited) {
            return request.position(request.limit());
        }
        awaited = true;
        correlation++;
        request.putInt(KafkaWire.CORRELATION_AT, correlation).putLong(offsetAt, next);
        return request.rewind();
    }

    @Override
    public void read(ByteBuffer in, Consumer<ByteBuffer> messages) throws IOException {
        ByteBuffer answer = FramedServer.answer(in);
        if (answer == null) {
            return;
        }
        awaited = false;
        FetchResponseData fetched =
                new FetchResponseData(KafkaWire.body(answer, ApiKeys.FETCH, VERSION, correlation), VERSION);
        KafkaWire.check(fetched.errorCode());
        for (FetchableTopicResponse topic : fetched.responses()) {
            for (PartitionData each : topic.partitions()) {
                KafkaWire.check(each.errorCode());
                if (each.records() instanceof MemoryRecords records) {
                    take(records, messages);
                }
            }
        }
    }

    private void take(MemoryRecords records, Consumer<ByteBuffer> messages) {
        for (RecordBatch batch : records.batches()) {
            for (Record each : batch) {
                if (each.offset() >= next) { // a batch may begin before what was requested
                    messages.accept(each.value());
                    next = each.offset() + 1;
                }
            }
        }
    }
}
