// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Makes message blocks of outgoing messages, and the calls that put them. Immutable. */
final class PutRequests {
    private PutRequests() {}

    /** A compressed block of messages. */
    static MessageBlock block(List<OutgoingMessage> messages, Compression compression, long nowMillis) {
        List<Message> wired = new ArrayList<>(messages.size());
        for (OutgoingMessage each : messages) {
            Message message = new Message(each.bodyBuffer());
            each.key().ifPresent(message::setPartitionKey);
            if (!each.headers().isEmpty()) {
                Map<String, ByteBuffer> headers = new LinkedHashMap<>();
                each.headers().forEach((name, value) -> headers.put(name, StandardCharsets.UTF_8.encode(value)));
                message.setHeaders(headers);
            }
            wired.add(message);
        }
        return MessageBlocks.write(wired, type(compression), nowMillis);
    }

    private static MessageCompressionType type(Compression compression) {
        return switch (compression) {
            case NONE -> MessageCompressionType.NONE;
            case SNAPPY -> MessageCompressionType.SNAPPY;
            case GZIP -> MessageCompressionType.GZIP;
            case ZSTD -> MessageCompressionType.ZSTD;
            case LZ4 -> MessageCompressionType.LZ4;
        };
    }

    /**
     * The call that puts a block.
     *
     * @param sequenceId identity of the put, unique, so that a repetition is not stored again
     */
    static RemoteCall<PutMessageResponse> put(PartitionRef partition, MessageBlock block, String sequenceId) {
        return new RemoteCall<>(
                Service.MESSAGE,
                "putMessage",
                deadlineMillis -> {
                    PutMessageRequest request = new PutMessageRequest(
                            partition.toThrift(), List.of(block), block.getMessageNumber(), sequenceId);
                    request.setTimeoutTimestamp(deadlineMillis);
                    return request;
                },
                PutMessageResponse::new,
                Effect.REPEATABLE,
                Optional.of(partition),
                PutMessageResponse::isIsTransfer);
    }
}
