// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.client.FatalException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.common.message.MissingLibraryException;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;

/** Makes the calls that get messages, and reads the messages of their answers. Immutable. */
final class GetRequests {
    private static final long MAX_PLAIN_BYTES = Math.max(
            32L << 20, Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8)); // reading takes twice as much

    /**
     * The heap that a message's objects take, in bytes. It counts because a few kilobytes may hold millions of empty
     * messages.
     */
    private static final int MESSAGE_BYTES = 128;

    /** The character that replaces bytes that are not UTF-8. */
    private static final char REPLACED = '\ufffd';

    private GetRequests() {}

    /** Returns the call that gets the blocks of a partition from an offset on. */
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

    /** Returns the bytes of an answer's blocks, as they are stored. */
    static long bytes(GetMessageResponse answer) {
        return answer.getMessageBlocks().stream()
                .mapToLong(each -> each.bufferForMessageBlock().remaining())
                .sum();
    }

    /**
     * Returns the messages of a partition's blocks from an offset on; the first block may begin before that offset. The
     * list ends before a block that cannot be read, or that does not fit into memory together with the previous blocks.
     *
     * @throws UnreadableBlockException the first block cannot be read
     * @throws FatalException this program cannot read messages at all
     */
    static List<FetchedMessage> messages(PartitionRef partition, List<MessageBlock> blocks, long offset)
            throws FatalException {
        try {
            return read(partition, blocks, offset, MAX_PLAIN_BYTES);
        } catch (MissingLibraryException e) {
            throw new FatalException("CLIENT", "CLIENT: the messages cannot be read: " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            throw new FatalException("CLIENT", "CLIENT: the messages cannot be read: " + e, e);
        }
    }

    /** Reads like this, with a limit on the bytes of all blocks together. */
    static List<FetchedMessage> read(PartitionRef partition, List<MessageBlock> blocks, long offset, long maxBytes)
            throws UnreadableBlockException {
        List<FetchedMessage> messages = new ArrayList<>();
        long left = maxBytes;
        for (MessageBlock block : blocks) {
            try {
                for (MessageAndOffset each : read(block, left)) {
                    left -= each.getMessage().bufferForMessage().remaining();
                    if (each.getMessageOffset() >= offset) {
                        messages.add(fetched(partition, each));
                    }
                }
            } catch (MalformedBlockException e) {
                if (messages.isEmpty()) {
                    throw unreadable(partition, block, e);
                }
                return messages; // it will be the first block of the next answer, and will be reported then
            }
        }
        return messages;
    }

    private static List<MessageAndOffset> read(MessageBlock block, long maxBytes) throws MalformedBlockException {
        if (block.getMessageNumber() > Math.max(1, maxBytes / MESSAGE_BYTES)) {
            throw new MalformedBlockException(
                    block.getMessageNumber() + " messages are more than this program's memory allows");
        }
        return MessageBlocks.read(block, maxBytes);
    }

    private static UnreadableBlockException unreadable(
            PartitionRef partition, MessageBlock block, MalformedBlockException e) {
        long first = block.getStartMessageOffset();
        String reason = e.isTooLarge() ? e.getMessage() + ", as this program's memory allows" : e.getMessage();
        return new UnreadableBlockException(
                partition.topic(), partition.number(), first, first + block.getMessageNumber() - 1, reason, e);
    }

    private static FetchedMessage fetched(PartitionRef partition, MessageAndOffset from) {
        Message message = from.getMessage();
        ByteBuffer view = message.bufferForMessage();
        byte[] body = bytes(view);
        Map<String, String> headers = headers(message);
        return new FetchedMessage(
                partition.topic(),
                partition.number(),
                from.getMessageOffset(),
                body,
                Optional.ofNullable(message.getPartitionKey()),
                headers,
                binaryHeaders(message, headers),
                message.getCreateTimestamp() > 0
                        ? Optional.of(Instant.ofEpochMilli(message.getCreateTimestamp()))
                        : Optional.empty(),
                Instant.ofEpochMilli(message.getAppendTimestamp()));
    }

    private static byte[] bytes(ByteBuffer view) {
        byte[] bytes = new byte[view.remaining()];
        view.get(view.position(), bytes);
        return bytes;
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

    /** Returns the headers whose bytes are not valid UTF-8. */
    private static Map<String, byte[]> binaryHeaders(Message message, Map<String, String> texts) {
        if (texts.values().stream().noneMatch(text -> text.indexOf(REPLACED) >= 0)) {
            return Map.of();
        }
        Map<String, byte[]> binary = new HashMap<>();
        message.getHeaders().forEach((name, value) -> {
            byte[] bytes = bytes(value);
            String text = new String(bytes, StandardCharsets.UTF_8);
            if (!Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
                binary.put(name, bytes);
            }
        });
        return binary;
    }
}
