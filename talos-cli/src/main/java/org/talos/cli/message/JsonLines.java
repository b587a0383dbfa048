// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.producer.OutgoingMessage;
import org.talos.common.message.WrittenJson;

/**
 * Reads and writes messages as lines of JSON, with REST's names: the bytes are {@code value}, {@code json} or
 * {@code base64}. {@code put} reads the output of {@code get}, and the messages of a search. Immutable.
 */
public final class JsonLines {
    private static final Set<String> READ = Set.of("key", "value", "json", "base64", "partition", "headers");
    /**
     * Fields that {@code get} or a search prints and {@code put} ignores: the server sets all of them except the tag.
     */
    private static final Set<String> IGNORED = Set.of("offset", "timestamp", "appendTimestamp", "size", "tag");

    private static final String TRUNCATED = "truncated";

    /** The byte order mark that some programs, most of them on Windows, write before a file in UTF-8. */
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE) // the line is bounded
                    .build())
            .build();

    private static final ObjectReader READER = JsonMapper.builder(FACTORY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES) // numbers keep their digits
            .build()
            .reader();

    private JsonLines() {}

    /**
     * A line that was read. Immutable.
     *
     * @param partition partition that the line names
     */
    public record Line(OutgoingMessage message, OptionalInt partition) {}

    /** Reads a line; a failure explains the fault. */
    public static Line read(byte[] bytes) throws CommandException {
        String line = line(bytes);
        JsonNode json = parsed(line);
        checkNames(json);
        byte[] body = body(json, line);
        JsonNode key = json.get("key");
        if (key != null && !key.isTextual()) {
            throw new CommandException("key (expected: text)");
        }
        if (key != null) {
            utf8(key.textValue()); // as it will be sent
        }
        Map<String, String> headers = headers(json.get("headers"));
        try {
            OutgoingMessage message =
                    new OutgoingMessage(body, Optional.ofNullable(key).map(JsonNode::textValue), headers);
            return new Line(message, partition(json.get("partition")));
        } catch (IllegalArgumentException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Refuses malformed UTF-8: it would be put as another text. */
    private static String line(byte[] bytes) throws CommandException {
        String line = text(bytes).orElseThrow(() -> new CommandException("the line is not UTF-8"));
        return line.startsWith(BYTE_ORDER_MARK) ? line.substring(BYTE_ORDER_MARK.length()) : line;
    }

    private static void checkNames(JsonNode json) throws CommandException {
        for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!READ.contains(name) && !IGNORED.contains(name) && !name.equals(TRUNCATED)) {
                throw new CommandException(
                        name + " is not known (expected: key, partition, headers, value, json, base64)");
            }
        }
        if (json.path(TRUNCATED).asBoolean()) {
            throw new CommandException("the line has only the beginning of its message (a search shows all of it with a"
                    + " larger maxValueBytes)");
        }
    }

    private static Map<String, String> headers(@Nullable JsonNode given) throws CommandException {
        if (given == null) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : given.properties()) {
            if (!each.getValue().isTextual()) {
                throw new CommandException("headers (expected: texts by name)");
            }
            utf8(each.getKey());
            utf8(each.getValue().textValue());
            headers.put(each.getKey(), each.getValue().textValue());
        }
        if (!given.isObject()) {
            throw new CommandException("headers (expected: texts by name)");
        }
        return headers;
    }

    private static JsonNode parsed(String line) throws CommandException {
        JsonNode json;
        try {
            json = READER.readTree(line);
        } catch (JsonProcessingException e) {
            throw new CommandException("no JSON: " + e.getOriginalMessage(), e);
        }
        if (!json.isObject()) {
            throw new CommandException("no JSON object");
        }
        return json;
    }

    private static byte[] body(JsonNode json, String line) throws CommandException {
        JsonNode text = json.get("value");
        JsonNode base64 = json.get("base64");
        JsonNode any = json.get("json");
        if ((text == null ? 0 : 1) + (base64 == null ? 0 : 1) + (any == null ? 0 : 1) != 1) {
            throw new CommandException("one of value, json and base64 is needed");
        }
        return any != null ? written(any, line) : text != null ? text(text) : decoded(base64);
    }

    /**
     * Returns the value of {@code json} as the line has it, but for the white space between its parts, as REST does.
     */
    private static byte[] written(JsonNode any, String line) throws CommandException {
        var unused = utf8(any.toString()); // refuses half of a pair of surrogates in it
        try (JsonParser from = FACTORY.createParser(line)) {
            from.nextToken();
            while (!"json".equals(from.nextFieldName())) {
                from.nextToken();
                from.skipChildren();
            }
            from.nextToken();
            int start = Math.toIntExact(from.currentTokenLocation().getCharOffset());
            return WrittenJson.at(line, start).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CommandException("no JSON: " + e.getMessage(), e);
        }
    }

    /** Refuses malformed text: half of a pair of surrogates would be put as a question mark. */
    private static byte[] utf8(String text) throws CommandException {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new CommandException("a text with half of a pair of surrogates (\\ud800 to \\udfff)", e);
        }
    }

    private static byte[] text(JsonNode value) throws CommandException {
        if (!value.isTextual()) {
            throw new CommandException("value (expected: text)");
        }
        return utf8(value.textValue());
    }

    private static byte[] decoded(@Nullable JsonNode value) throws CommandException {
        try {
            if (value != null && value.isTextual()) {
                return value.binaryValue();
            }
        } catch (IOException e) {
            throw new CommandException("base64 (expected: base64 with padding)", e);
        }
        throw new CommandException("base64 (expected: base64 with padding)");
    }

    private static OptionalInt partition(@Nullable JsonNode value) throws CommandException {
        if (value == null) {
            return OptionalInt.empty();
        }
        if (!value.canConvertToInt() || !value.isIntegralNumber() || value.intValue() < 0) {
            throw new CommandException("partition (expected: a number from 0)");
        }
        return OptionalInt.of(value.intValue());
    }

    /** Writes a message as a line. */
    public static byte[] write(int partition, FetchedMessage message) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("partition", partition)
                .put("offset", message.offset());
        message.key().ifPresent(key -> json.put("key", key));
        message.created().ifPresent(created -> json.put("timestamp", created.toEpochMilli()));
        json.put("appendTimestamp", message.appended().toEpochMilli());
        if (!message.headers().isEmpty()) {
            ObjectNode headers = json.putObject("headers");
            new TreeMap<>(message.headers()).forEach(headers::put);
        }
        Optional<String> text = text(message.body());
        if (text.isPresent()) {
            json.put("value", text.get());
        } else {
            json.put("base64", message.body());
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Optional<String> text(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
