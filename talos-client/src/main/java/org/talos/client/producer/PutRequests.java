// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.stream.NumberedPut;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Makes message blocks of outgoing messages, and the calls that put them. Immutable. */
final class PutRequests {
    /** Compression allocates for bytes that do not shrink: even a small put takes 38 KiB until it is stored. */
    private static final int LOOSE = 2;

    private static final String KEY_REUSED = "IDEMPOTENCY_KEY_REUSED";

    private PutRequests() {}

    /** Returns a compressed block of messages. */
    static MessageBlock block(List<OutgoingMessage> messages, Compression compression, long nowMillis) {
        List<Message> wired = new ArrayList<>(messages.size());
        for (OutgoingMessage each : messages) {
            Message message = new Message(each.bodyBuffer());
            each.key().ifPresent(message::setPartitionKey);
            if (!each.headerValues().isEmpty()) {
                Map<String, ByteBuffer> headers = new LinkedHashMap<>();
                each.headerValues().forEach((name, value) -> headers.put(name, ByteBuffer.wrap(value)));
                message.setHeaders(headers);
            }
            wired.add(message);
        }
        MessageBlock block = MessageBlocks.write(wired, type(compression), nowMillis);
        ByteBuffer bytes = block.bufferForMessageBlock();
        return bytes.capacity() > LOOSE * bytes.remaining() ? block.setMessageBlock(trimmed(bytes)) : block;
    }

    private static ByteBuffer trimmed(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
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

    /** Returns the call that makes a put; because of its identity, a repetition is not stored again. */
    static RemoteCall<PutMessageResponse> put(NumberedPut put) {
        PartitionRef partition = put.partition();
        MessageBlock block = put.block();
        return new RemoteCall<>(
                Service.MESSAGE,
                "putMessage",
                deadlineMillis -> {
                    PutMessageRequest request = new PutMessageRequest(
                            partition.toThrift(), List.of(block), block.getMessageNumber(), put.sequenceId());
                    request.setTimeoutTimestamp(deadlineMillis);
                    return request;
                },
                PutMessageResponse::new,
                Effect.REPEATABLE,
                Optional.of(partition),
                PutMessageResponse::isIsTransfer);
    }

    /** Returns the result of a put by a call, whose answer has no offset. */
    static CompletableFuture<OptionalLong> outcome(CompletableFuture<?> call) {
        return call.thenApply(answer -> OptionalLong.empty())
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(explained(thrown)));
    }

    /** Names the refusal of a key that another put has used: this put is not stored. */
    private static Throwable explained(Throwable thrown) {
        TalosClientException failure = ClientCalls.failure(thrown);
        return failure.code().equals(ErrorCode.LOCK_VALUE_NOT_EXPECTED.name())
                ? new FatalException(
                        KEY_REUSED, KEY_REUSED + ": its idempotency key was used for a put of other messages", failure)
                : thrown;
    }
}
