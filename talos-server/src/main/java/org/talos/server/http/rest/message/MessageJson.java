// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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

    public static ObjectNode write(MessageAndOffset each, Form form) {
        Message message = each.getMessage();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("offset", each.getMessageOffset());
        if (message.isSetPartitionKey()) {
            json.put("key", message.getPartitionKey());
        }
        if (message.isSetTag()) {
            json.put("tag", message.getTag());
        }
        if (message.isSetCreateTimestamp()) {
            json.put("timestamp", message.getCreateTimestamp());
        }
        if (message.isSetAppendTimestamp()) {
            json.put("appendTimestamp", message.getAppendTimestamp());
        }
        if (message.isSetHeaders()) {
            ObjectNode headers = json.putObject("headers");
            MessageHeaders.texts(message).forEach(headers::put);
        }
        writeBytes(json, message.bufferForMessage(), form);
        return json;
    }

    private static void writeBytes(ObjectNode json, ByteBuffer bytes, Form form) {
        Optional<String> text = form == Form.BASE64 ? Optional.empty() : text(bytes);
        if (text.isEmpty()) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            json.put("base64", Base64.getEncoder().encodeToString(copy));
            return;
        }
        Optional<JsonNode> value = form == Form.JSON ? Json.passedOn(text.get()) : Optional.empty();
        if (value.isPresent()) {
            json.set("json", value.get());
        } else {
            json.put("value", text.get());
        }
    }

    private static Optional<String> text(ByteBuffer bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(bytes.duplicate())
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
