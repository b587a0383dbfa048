// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageType;

/** Messages as JSON, both ways. Immutable. */
public final class MessageJson {
    /** Characters of a text that is looked through, and not kept. */
    private static final int DECODED_AT_ONCE = 512;

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

    /** A message of a put: its bytes as {@code value}, {@code json} or {@code base64}, one of the three. */
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
            message.setMessage(Json.write(json.any("json").orElseThrow()));
            headers.putIfAbsent(MessageHeaders.CONTENT_TYPE, JSON_TYPE);
        } else {
            message.setMessage(text.map(value -> value.getBytes(StandardCharsets.UTF_8))
                    .orElseGet(() -> decoded(json, base64.orElseThrow())));
        }
        if (!message.bufferForMessage().hasRemaining()) {
            throw json.wrong("value", "one byte or more");
        }
        message.setMessageType(base64.isPresent() ? MessageType.BINARY : MessageType.UTF8);
        json.text("key").ifPresent(key -> MessageHeaders.setKey(message, key));
        json.text("tag").ifPresent(message::setTag);
        message.setCreateTimestamp(json.number("timestamp").orElse(nowMillis));
        MessageHeaders.setHeaders(message, headers);
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

    /** Writes a message as an object. */
    public static void write(JsonGenerator to, MessageAndOffset each, Form form) throws IOException {
        to.writeStartObject();
        writeFields(to, each, form);
        to.writeEndObject();
    }

    /** Writes the fields of that object alone, for who has others beside them. */
    public static void writeFields(JsonGenerator to, MessageAndOffset each, Form form) throws IOException {
        writeHead(to, each);
        writeBytes(to, each.getMessage().bufferForMessage(), form);
    }

    /** Likewise, with the message's size, and of its bytes at most so many; whether these are all is said, too. */
    public static void writeFields(JsonGenerator to, MessageAndOffset each, Form form, int mostBytes)
            throws IOException {
        writeHead(to, each);
        ByteBuffer bytes = each.getMessage().bufferForMessage();
        to.writeNumberField("size", bytes.remaining());
        if (bytes.remaining() <= mostBytes) {
            writeBytes(to, bytes, form);
        } else {
            writeBytes(to, beginning(bytes, mostBytes), form == Form.JSON ? Form.AUTO : form);
            to.writeBooleanField("truncated", true);
        }
    }

    /** At most so many bytes; a character of UTF-8 is in it whole or not at all. */
    private static ByteBuffer beginning(ByteBuffer bytes, int mostBytes) {
        int length = mostBytes;
        while (length > 0 && mostBytes - length < 3 && (bytes.get(bytes.position() + length) & 0xC0) == 0x80) {
            length--;
        }
        return bytes.slice(bytes.position(), length);
    }

    private static void writeHead(JsonGenerator to, MessageAndOffset each) throws IOException {
        Message message = each.getMessage();
        to.writeNumberField("offset", each.getMessageOffset());
        if (message.isSetPartitionKey()) {
            to.writeStringField("key", message.getPartitionKey());
        }
        if (message.isSetTag()) {
            to.writeStringField("tag", message.getTag());
        }
        if (message.isSetCreateTimestamp()) {
            to.writeNumberField("timestamp", message.getCreateTimestamp());
        }
        if (message.isSetAppendTimestamp()) {
            to.writeNumberField("appendTimestamp", message.getAppendTimestamp());
        }
        if (message.isSetHeaders()) {
            to.writeObjectFieldStart("headers");
            for (Map.Entry<String, String> header :
                    MessageHeaders.texts(message).entrySet()) {
                to.writeStringField(header.getKey(), header.getValue());
            }
            to.writeEndObject();
        }
    }

    private static void writeBytes(JsonGenerator to, ByteBuffer buffer, Form form) throws IOException {
        ByteBuffer bytes = inArray(buffer);
        int offset = bytes.arrayOffset() + bytes.position();
        if (form == Form.BASE64 || !isUtf8(bytes)) {
            to.writeFieldName("base64");
            to.writeBinary(Base64Variants.MIME_NO_LINEFEEDS, bytes.array(), offset, bytes.remaining());
            return;
        }
        Optional<JsonNode> value = form == Form.JSON
                ? Json.passedOn(new String(bytes.array(), offset, bytes.remaining(), StandardCharsets.UTF_8))
                : Optional.empty();
        if (value.isPresent()) {
            to.writeFieldName("json");
            to.writeTree(value.get());
        } else {
            to.writeFieldName("value");
            to.writeUTF8String(bytes.array(), offset, bytes.remaining());
        }
    }

    private static ByteBuffer inArray(ByteBuffer bytes) {
        return bytes.hasArray()
                ? bytes
                : ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
    }

    private static boolean isUtf8(ByteBuffer bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer left = bytes.duplicate();
        CharBuffer some = CharBuffer.allocate(Math.min(bytes.remaining() + 1, DECODED_AT_ONCE));
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            result = decoder.decode(left, some.clear(), true);
        }
        return result.isUnderflow();
    }
}
