// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.message.MessageHeaders;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/** The lines of a slice: the messages that matched. Confined: one slice. */
final class SearchLines {
    /** A control character is six in JSON, and a line is there twice while it is made. */
    private static final long MOST_GROWTH = 12;

    private static final int LINE_BYTES = 1 << 10;

    private final RequestMemory memory;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private int count;

    /** @param memory in which lines are reserved before they are made */
    SearchLines(RequestMemory memory) {
        this.memory = memory;
    }

    /** Adds a message, of whose bytes at most so many are shown. */
    void add(int partition, MessageAndOffset each, Form form, int mostBytes) {
        memory.reserve(LINE_BYTES + MOST_GROWTH * shownBytes(each.getMessage(), mostBytes));
        add(Json.write(to -> {
            to.writeStartObject();
            to.writeNumberField("partition", partition);
            MessageJson.writeFields(to, each, form, mostBytes);
            to.writeEndObject();
        }));
        count++;
    }

    private static long shownBytes(Message message, int mostBytes) {
        long bytes = Math.min(message.bufferForMessage().remaining(), mostBytes);
        if (message.isSetPartitionKey()) {
            bytes += message.getPartitionKey().length();
        }
        if (message.isSetTag()) {
            bytes += message.getTag().length();
        }
        if (message.isSetHeaders()) {
            for (Map.Entry<String, String> header :
                    MessageHeaders.texts(message).entrySet()) {
                bytes += header.getKey().length() + header.getValue().length();
            }
        }
        return bytes;
    }

    private void add(byte[] line) {
        lines.writeBytes(line);
        lines.write('\n');
    }

    /** How many messages there are. */
    int count() {
        return count;
    }

    int bytes() {
        return lines.size();
    }

    /** All lines, and one more behind them. */
    ByteBuffer with(@Nullable ObjectNode last) {
        if (last != null) {
            add(Json.write(last));
        }
        return ByteBuffer.wrap(lines.toByteArray());
    }
}
