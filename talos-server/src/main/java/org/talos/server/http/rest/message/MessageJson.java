// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonFields;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageType;

/** Messages as JSON, both ways. Immutable. */
public final class MessageJson {
    private static final long MOST_GROWTH = 6; // of a control character
    private static final int FIELDS_BYTES = 256; // names, numbers and punctuation

    private static final String JSON_TYPE = "application/json";

    private MessageJson() {}

    /** How the bytes of messages are shown. */
    public enum Form {
        /** Text if they are UTF-8, else base64. */
        AUTO,
        TEXT,
        BASE64,
        JSON;

        public static Form of(Optional<String> name) {
            return switch (name.orElse("auto")) {
                case "auto" -> AUTO;
                case "text" -> TEXT;
                case "base64" -> BASE64;
                case "json" -> JSON;
                default -> throw ProblemException.badRequest("parameter as (expected: auto, text, base64 or json)");
            };
        }
    }

    /**
     * A message of a put: its bytes, which may be none, as {@code value}, {@code json} or {@code base64}, one of the
     * three.
     *
     * @param json read by {@link Json#readPut}
     */
    public static Message read(JsonObject json, long nowMillis) {
        Message message = new Message();
        Map<String, String> headers = json.texts("headers");
        Optional<String> text = json.text("value");
        Optional<String> base64 = json.text("base64");
        boolean isJson = json.has("json");
        if ((text.isPresent() ? 1 : 0) + (base64.isPresent() ? 1 : 0) + (isJson ? 1 : 0) != 1) {
            throw json.wrong("value", "one of value, json and base64");
        }
        if (isJson) {
            message.setMessage(json.written("json").orElseThrow().getBytes(StandardCharsets.UTF_8));
            if (headers.keySet().stream().noneMatch(MessageHeaders.CONTENT_TYPE::equalsIgnoreCase)) {
                headers.put(MessageHeaders.CONTENT_TYPE, JSON_TYPE);
            }
        } else {
            message.setMessage(text.map(value -> value.getBytes(StandardCharsets.UTF_8))
                    .orElseGet(() -> decoded(json, base64.orElseThrow())));
        }
        message.setMessageType(base64.isPresent() ? MessageType.BINARY : MessageType.UTF8);
        json.text("key").ifPresent(key -> MessageHeaders.setKey(message, key));
        json.text("tag").ifPresent(message::setTag);
        message.setCreateTimestamp(json.number("timestamp").orElse(nowMillis));
        MessageHeaders.setHeaders(message, headers);
        MessageHeaders.requireReadable(message);
        json.end();
        return message;
    }

    private static byte[] decoded(JsonObject json, String base64) {
        try {
            byte[] bytes = Base64.getDecoder().decode(base64);
            if (base64.length() == (bytes.length + 2) / 3 * 4) { // the JDK's decoder takes it without padding, too
                return bytes;
            }
            throw json.wrong("base64", "base64 with padding, without line breaks");
        } catch (IllegalArgumentException e) {
            throw json.wrong("base64", "base64 with padding, without line breaks");
        }
    }

    /** How the bytes of one message are shown. */
    public enum Shown {
        TEXT,
        BASE64,
        JSON
    }

    /**
     * A message whose bytes have been scanned, so that it can be rendered piece by piece. Immutable; the bytes must not
     * change.
     */
    public record Prepared(MessageAndOffset message, ByteBuffer bytes, Shown shown) {
        /** Returns the offset of the message. */
        public long offset() {
            return message.getMessageOffset();
        }

        /** Returns the most bytes that its object takes, but for fields that are not the message's own. */
        public long mostBytes() {
            Message fields = message.getMessage();
            long bytesOfTexts = bytes.remaining();
            bytesOfTexts += length(fields.getPartitionKey()) + length(fields.getTag());
            if (fields.isSetHeaders()) {
                for (Map.Entry<String, ByteBuffer> each : fields.getHeaders().entrySet()) {
                    bytesOfTexts += length(each.getKey()) + each.getValue().remaining() + 1;
                }
            }
            return MOST_GROWTH * bytesOfTexts + FIELDS_BYTES;
        }

        private static int length(@Nullable String text) {
            return text == null ? 0 : text.length();
        }
    }

    /** Returns the most bytes that messages take in a list. */
    public static long mostBytes(List<Prepared> messages) {
        return messages.stream().mapToLong(Prepared::mostBytes).sum();
    }

    /** Looks through a message's bytes, which takes long where they are many. */
    public static Prepared prepare(MessageAndOffset each, Form form) {
        return prepared(each, each.getMessage().bufferForMessage(), form);
    }

    private static Prepared prepared(MessageAndOffset each, ByteBuffer bytes, Form form) {
        Shown shown = Shown.TEXT;
        if (form == Form.BASE64 || !Json.isUtf8(bytes)) {
            shown = Shown.BASE64;
        } else if (form == Form.JSON && Json.isValue(bytes)) {
            shown = Shown.JSON;
        }
        return new Prepared(each, bytes, shown);
    }

    /** Like {@link #prepare}, of at most this number of its bytes. */
    public static Prepared prepareBeginning(MessageAndOffset each, Form form, int mostBytes) {
        ByteBuffer bytes = each.getMessage().bufferForMessage();
        return bytes.remaining() <= mostBytes
                ? prepared(each, bytes, form)
                : prepared(each, beginning(bytes, mostBytes), form == Form.JSON ? Form.AUTO : form);
    }

    /** Returns a message as an object. */
    public static Body body(Prepared each) {
        JsonFields fields = new JsonFields();
        addTo(fields, each);
        return fields.end();
    }

    /** Adds a message's fields to an object that has others besides. */
    public static void addTo(JsonFields fields, Prepared each) {
        addHead(fields, each.message());
        addBytes(fields, each);
    }

    /** Likewise, with the message's size, and whether only the beginning of its bytes is shown. */
    public static void addBeginningTo(JsonFields fields, Prepared each) {
        addHead(fields, each.message());
        int size = each.message().getMessage().bufferForMessage().remaining();
        fields.number("size", size);
        addBytes(fields, each);
        if (each.bytes().remaining() < size) {
            fields.bool("truncated", true);
        }
    }

    /** At most this number of bytes; a character of UTF-8 is in it whole or not at all. */
    private static ByteBuffer beginning(ByteBuffer bytes, int mostBytes) {
        int length = mostBytes;
        while (length > 0 && mostBytes - length < 3 && (bytes.get(bytes.position() + length) & 0xC0) == 0x80) {
            length--;
        }
        return bytes.slice(bytes.position(), length);
    }

    private static void addHead(JsonFields to, MessageAndOffset each) {
        Message message = each.getMessage();
        to.number("offset", each.getMessageOffset());
        if (message.isSetPartitionKey()) {
            to.text("key", message.getPartitionKey());
        }
        if (message.isSetTag()) {
            to.text("tag", message.getTag());
        }
        if (message.isSetCreateTimestamp()) {
            to.number("timestamp", message.getCreateTimestamp());
        }
        if (message.isSetAppendTimestamp()) {
            to.number("appendTimestamp", message.getAppendTimestamp());
        }
        if (message.isSetHeaders()) {
            to.texts("headers", new TreeMap<>(message.getHeaders()));
        }
    }

    private static void addBytes(JsonFields to, Prepared each) {
        switch (each.shown()) {
            case TEXT -> to.utf8("value", each.bytes());
            case BASE64 -> to.base64("base64", each.bytes());
            case JSON -> to.compact("json", each.bytes());
        }
    }
}
