// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Kafka's messages for a connection: size, header, and body, encoded by Kafka's own classes. Immutable. */
final class KafkaWire {
    /** The index in a request of the number that its answer repeats. */
    static final int CORRELATION_AT = Integer.BYTES + 2 * Short.BYTES; // behind size, kind, and version

    private static final String CLIENT = "talos-bench-lean";

    private KafkaWire() {}

    /** Returns a request, with its size in front. */
    static ByteBuffer request(ApiKeys kind, short version, Message body) {
        short headerVersion = kind.requestHeaderVersion(version);
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(kind.id)
                .setRequestApiVersion(version)
                .setClientId(CLIENT);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int size = header.size(cache, headerVersion) + body.size(cache, version);
        ByteBuffer request = ByteBuffer.allocateDirect(Integer.BYTES + size).putInt(size);
        ByteBufferAccessor out = new ByteBufferAccessor(request);
        header.write(out, cache, headerVersion);
        body.write(out, cache, version);
        return request.flip();
    }

    /**
     * Takes the header of an answer.
     *
     * @return reads the body
     * @throws IOException it answers another request
     */
    static ByteBufferAccessor body(ByteBuffer answer, ApiKeys kind, short version, int correlation) throws IOException {
        ByteBufferAccessor in = new ByteBufferAccessor(answer);
        int answered = new ResponseHeaderData(in, kind.responseHeaderVersion(version)).correlationId();
        if (answered != correlation) {
            throw new IOException("an answer to request " + answered + " (expected: " + correlation + ")");
        }
        return in;
    }

    /**
     * Checks the outcome of a request.
     *
     * @throws IOException it has failed
     */
    static void check(short code) throws IOException {
        if (code != Errors.NONE.code()) {
            throw new IOException("refused: " + Errors.forCode(code));
        }
    }
}
