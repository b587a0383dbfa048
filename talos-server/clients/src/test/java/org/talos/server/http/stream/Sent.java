// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Messages as a client sends them, written by hand from docs/formats/stream.md. Immutable. */
final class Sent {
    static final long CREATED = 1_700_000_000_000L;
    static final int ORDERED = 1;

    private Sent() {}

    /** A block of messages, as an SDK packs it. */
    static MessageBlock block(String... values) {
        List<Message> messages = Arrays.stream(values)
                .map(value -> {
                    Message message = new Message();
                    message.setMessage(value.getBytes(UTF_8));
                    message.setCreateTimestamp(CREATED);
                    return message;
                })
                .toList();
        return MessageBlocks.write(messages, MessageCompressionType.NONE, CREATED);
    }

    static byte[] put(int flags, int partition, long number, String... values) {
        return put(flags, partition, number, block(values));
    }

    static byte[] put(int flags, int partition, long number, MessageBlock block) {
        ByteBuffer bytes = block.bufferForMessageBlock();
        return ByteBuffer.allocate(32 + bytes.remaining())
                .put((byte) 1)
                .put((byte) flags)
                .put((byte) block.getCompressionType().getValue())
                .put((byte) 0)
                .putInt(partition)
                .putLong(number)
                .putInt(block.getMessageNumber())
                .putLong(CREATED)
                .putInt(bytes.remaining())
                .put(bytes.duplicate())
                .array();
    }

    static byte[] putMessage(int flags, int partition, long number, String key, String value) {
        byte[] keyBytes = key.getBytes(UTF_8);
        byte[] bytes = value.getBytes(UTF_8);
        return ByteBuffer.allocate(28 + keyBytes.length + bytes.length)
                .put((byte) 2)
                .put((byte) flags)
                .putShort((short) keyBytes.length)
                .putInt(partition)
                .putLong(number)
                .putLong(CREATED)
                .putInt(bytes.length)
                .put(keyBytes)
                .put(bytes)
                .array();
    }

    static byte[] subscribe(int partition, long from) {
        return ByteBuffer.allocate(16)
                .putInt(0x03000000)
                .putInt(partition)
                .putLong(from)
                .array();
    }

    static byte[] unsubscribe(int partition) {
        return ByteBuffer.allocate(8).putInt(0x04000000).putInt(partition).array();
    }

    static byte[] credit(int bytes) {
        return ByteBuffer.allocate(8).putInt(0x05000000).putInt(bytes).array();
    }

    static byte[] join(String group, String member, int leaseMillis) {
        byte[] names = (group + member).getBytes(UTF_8);
        return ByteBuffer.allocate(12 + names.length)
                .putShort((short) 0x0600)
                .putShort((short) group.length())
                .putInt(leaseMillis)
                .putShort((short) member.length())
                .putShort((short) 0)
                .put(names)
                .array();
    }

    static byte[] commit(int partition, long offset) {
        return ByteBuffer.allocate(16)
                .putInt(0x07000000)
                .putInt(partition)
                .putLong(offset)
                .array();
    }

    static byte[] leave() {
        return ByteBuffer.allocate(8).putInt(0x08000000).array();
    }
}
