// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Answers as a broker sends them. Immutable. */
final class BrokerAnswers {
    private BrokerAnswers() {}

    static ByteBuffer of(ApiKeys kind, short version, int correlation, Message body) {
        short headerVersion = kind.responseHeaderVersion(version);
        ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(correlation);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int size = header.size(cache, headerVersion) + body.size(cache, version);
        ByteBuffer answer = ByteBuffer.allocateDirect(Integer.BYTES + size).putInt(size);
        ByteBufferAccessor out = new ByteBufferAccessor(answer);
        header.write(out, cache, headerVersion);
        body.write(out, cache, version);
        return answer.flip();
    }
}
