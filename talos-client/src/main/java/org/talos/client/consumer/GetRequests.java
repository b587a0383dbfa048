// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;

/** Makes the calls that get messages, and reads the messages of their answers. Immutable. */
final class GetRequests {
    private static final long MAX_BLOCK_BYTES = 256L << 20;

    private GetRequests() {}

    /** The call that gets the blocks of a partition from an offset on. */
    static RemoteCall<GetMessageResponse> get(
            PartitionRef partition, long offset, int maxMessages, int maxBytes, String sequenceId) {
        return new RemoteCall<>(
                Service.MESSAGE,
                "getMessage",
                deadlineMillis -> {
                    GetMessageRequest request = new GetMessageRequest(partition.toThrift(), offset, sequenceId);
                    request.setMaxGetMessageNumber(maxMessages);
                    request.setMaxGetMessageBytes(maxBytes);
                    request.setTimeoutTimestamp(deadlineMillis);
                    return request;
                },
                GetMessageResponse::new,
                Effect.NONE,
                Optional.of(partition),
                GetMessageResponse::isIsTransfer);
    }

    /** The messages of a partition's answer from an offset on; the first block may begin before that offset. */
    static List<FetchedMessage> read(PartitionRef partition, GetMessageResponse answer, long offset)
            throws MalformedBlockException {
        List<FetchedMessage> messages = new ArrayList<>();
        for (MessageBlock block : answer.getMessageBlocks()) {
            for (MessageAndOffset each : MessageBlocks.read(block, MAX_BLOCK_BYTES)) {
                if (each.getMessageOffset() >= offset) {
                    messages.add(fetched(partition, each));
                }
            }
        }
        return messages;
    }

    private static FetchedMessage fetched(PartitionRef partition, MessageAndOffset from) {
        Message message = from.getMessage();
        ByteBuffer view = message.bufferForMessage().duplicate();
        byte[] body = new byte[view.remaining()];
        view.get(body);
        return new FetchedMessage(
                partition.topic(),
                partition.number(),
                from.getMessageOffset(),
                body,
                Optional.ofNullable(message.getPartitionKey()),
                headers(message),
                message.getCreateTimestamp() > 0
                        ? Optional.of(Instant.ofEpochMilli(message.getCreateTimestamp()))
                        : Optional.empty(),
                Instant.ofEpochMilli(message.getAppendTimestamp()));
    }

    private static Map<String, String> headers(Message message) {
        if (!message.isSetHeaders()) {
            return Map.of();
        }
        Map<String, String> texts = new HashMap<>();
        message.getHeaders()
                .forEach((name, value) -> texts.put(
                        name, StandardCharsets.UTF_8.decode(value.duplicate()).toString()));
        return texts;
    }
}
