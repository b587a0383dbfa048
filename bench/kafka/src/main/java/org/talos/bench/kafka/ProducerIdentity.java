// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.talos.bench.synchronous.FramedServer;

/**
 * The identity of a producer, with which the broker recognizes a repeated put, as it does for Kafka's own producer.
 * Immutable.
 */
record ProducerIdentity(long id, short epoch) {
    private static final short VERSION = 4;
    private static final int TRIES = 300;
    private static final int PAUSE_MILLIS = 100;

    /** Gets a new one; a broker that has just started may have none yet. */
    static ProducerIdentity next(FramedServer server) throws IOException, InterruptedException {
        InitProducerIdRequestData body = new InitProducerIdRequestData()
                .setTransactionalId(null) // no transactions
                .setTransactionTimeoutMs(Integer.MAX_VALUE)
                .setProducerId(RecordBatch.NO_PRODUCER_ID)
                .setProducerEpoch(RecordBatch.NO_PRODUCER_EPOCH);
        short last = Errors.NONE.code();
        try (SocketChannel channel = server.connect()) {
            for (int i = 0; i < TRIES; i++) {
                ByteBuffer request = KafkaWire.request(ApiKeys.INIT_PRODUCER_ID, VERSION, body);
                ByteBuffer answer = server.call(channel, request, ApiKeys.INIT_PRODUCER_ID.name());
                InitProducerIdResponseData given = new InitProducerIdResponseData(
                        KafkaWire.body(answer, ApiKeys.INIT_PRODUCER_ID, VERSION, 0), VERSION);
                last = given.errorCode();
                if (last == Errors.NONE.code()) {
                    return new ProducerIdentity(given.producerId(), given.producerEpoch());
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        throw new IOException("no identity for a producer: " + Errors.forCode(last));
    }
}
