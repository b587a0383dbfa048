// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.ForeignBytesException;
import org.talos.bench.hostile.wire.WebSocketCheck;

/** Compares the messages of a partition as they come in JSON, one after another. Confined: its connection. */
final class KnownTexts {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LONGEST = 2 << 20;
    private static final String DATA = "data:";

    private final KnownMessages messages;
    private final int partition;
    private final ByteBuffer text = ByteBuffer.allocate(LONGEST);
    private long next;
    private boolean ended;
    private BooleanSupplier closed = () -> false;

    KnownTexts(KnownMessages messages, int partition) {
        this.messages = messages;
        this.partition = partition;
    }

    /** Returns whether all messages came, or the server ended them with a reason. */
    boolean isWhole() {
        return ended || isGood() || closed.getAsBoolean();
    }

    /** Returns whether all messages came. */
    boolean isGood() {
        return next >= KnownMessages.count(partition);
    }

    /** Returns the check of an answer of server-sent events. */
    Check events() {
        return bytes -> {
            while (bytes.hasRemaining()) {
                byte each = bytes.get();
                if (each != '\n') {
                    add(each);
                } else {
                    event(take());
                }
            }
        };
    }

    private void event(String line) throws ForeignBytesException {
        if (line.startsWith(DATA)) {
            message(line.substring(DATA.length()));
        } else if (!line.isEmpty() && !line.matches(":.*|id: ?[0-9]+|event: ?[a-z]+|retry: ?[0-9]+")) {
            throw foreign("no line of an event", line);
        }
    }

    /** Returns the check of a WebSocket with messages of JSON. */
    Check messages() {
        WebSocketCheck frames = new WebSocketCheck(
                bytes -> {
                    while (bytes.hasRemaining()) {
                        add(bytes.get());
                    }
                },
                () -> message(take()));
        closed = frames::isClosed;
        return frames;
    }

    private void add(byte each) throws ForeignBytesException {
        if (!text.hasRemaining()) {
            throw new ForeignBytesException("a text that is longer than any", text.rewind());
        }
        text.put(each);
    }

    private String take() {
        String taken = StandardCharsets.UTF_8.decode(text.flip()).toString();
        text.clear();
        return taken;
    }

    /** Handles a message, or a text that says why there are no more. */
    private void message(String json) throws ForeignBytesException {
        JsonNode tree;
        try {
            tree = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw foreign(e.getOriginalMessage(), json);
        }
        String type = tree.path("type").asText("message");
        if (tree.has("value")) {
            if (tree.path("offset").asLong(-1) != next
                    || !messages.text(partition, next).equals(tree.path("value").asText())) {
                throw foreign("not message " + next, json);
            }
            next++;
        } else if (type.equals("opened") || type.equals("credit")) {
            return;
        } else if (tree.has("status") || tree.has("problem")) {
            ended = true;
        } else {
            throw foreign("no message", json);
        }
    }

    private static ForeignBytesException foreign(String reason, String text) {
        return new ForeignBytesException(reason, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }
}
