// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** A partition as a list. Each put is stored once. Confined: as {@link Turns}. */
final class ModelPartition {
    private static final long MOST_BYTES = 1 << 20;

    private final List<MessageBlock> blocks = new ArrayList<>();
    private final List<String> messages = new ArrayList<>();
    private final Set<String> puts = new HashSet<>();
    private String server = "a:1";

    /** The server that has it. */
    String server() {
        return server;
    }

    void moveTo(String other) {
        server = other;
    }

    /** One past the last offset. */
    long end() {
        return messages.size();
    }

    /** The messages, by offset. */
    List<String> messages() {
        return messages;
    }

    void put(String sequenceId, List<MessageBlock> added, long nowMillis) throws MalformedBlockException {
        if (!puts.add(sequenceId)) {
            return;
        }
        for (MessageBlock each : added) {
            MessageBlock stored = each.deepCopy();
            stored.setStartMessageOffset(end());
            stored.setAppendTimestamp(nowMillis);
            blocks.add(stored);
            for (MessageAndOffset message : MessageBlocks.read(stored, MOST_BYTES)) {
                messages.add(StandardCharsets.UTF_8
                        .decode(message.getMessage().bufferForMessage().duplicate())
                        .toString());
            }
        }
    }

    /** Adds a message of nobody's. */
    void putLast() throws MalformedBlockException {
        Message last = new Message(StandardCharsets.UTF_8.encode("last"));
        put("last", List.of(MessageBlocks.write(List.of(last), MessageCompressionType.NONE, 1)), 1);
    }

    /** The blocks from an offset on; the first may begin before it. */
    List<MessageBlock> get(long from, int most) {
        List<MessageBlock> found = new ArrayList<>();
        int count = 0;
        for (MessageBlock each : blocks) {
            if (each.getStartMessageOffset() + each.getMessageNumber() > from && count < most) {
                found.add(each.deepCopy());
                count += each.getMessageNumber();
            }
        }
        return found;
    }
}
