// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.ByteBufferBackedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * JSON as the server reads and writes it. What it reads is UTF-8: one value, at most 32 levels deep, without duplicate
 * names.
 *
 * <p>Thread-safe.
 */
public final class Json {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER_CHARACTERS = 100;
    private static final int DECODED_AT_ONCE = 512; // characters

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(MAX_DEPTH)
            .maxNumberLength(MAX_NUMBER_CHARACTERS)
            .maxStringLength(Integer.MAX_VALUE) // the body is bounded already
            .build();

    /** Jackson collects the digits of a number before it checks their count; this bounds the collected digits. */
    private static final int MAX_COLLECTED_CHARACTERS = 64 << 10;

    private static final JsonFactory PASSING = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES) // it would keep names that clients make up
            .streamReadConstraints(CONSTRAINTS
                    .rebuild()
                    .maxStringLength(MAX_COLLECTED_CHARACTERS) // texts are skipped, and may be longer
                    .build())
            .build();

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .streamReadConstraints(CONSTRAINTS)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES) // numbers continue as they came
            .build();

    private Json() {}

    /**
     * Reads the object that a body holds.
     *
     * @throws ProblemException 400
     */
    public static JsonObject readObject(ByteBuffer body) {
        if (!(read(body) instanceof ObjectNode object)) {
            throw ProblemException.badRequest("the body is no JSON object");
        }
        return new JsonObject("", object);
    }

    /**
     * Like {@link #readObject}, of a put: the JSON that is a message, alone or in a list of messages, is kept as it is
     * written, for {@link JsonObject#written}.
     *
     * @throws ProblemException 400
     */
    public static JsonObject readPut(ByteBuffer body) {
        if (!(read(body, text -> PutTree.read(MAPPER.getFactory(), text)) instanceof ObjectNode object)) {
            throw ProblemException.badRequest("the body is no JSON object");
        }
        return new JsonObject("", object);
    }

    /**
     * Like {@link #readObject}, but without a body it is an object without fields.
     *
     * @throws ProblemException 400
     */
    public static JsonObject readObjectIfAny(ByteBuffer body) {
        return body.hasRemaining() ? readObject(body) : new JsonObject("", JsonNodeFactory.instance.objectNode());
    }

    /**
     * Reads any JSON value.
     *
     * @throws ProblemException 400
     */
    public static JsonNode read(ByteBuffer body) {
        return read(body, MAPPER::readTree);
    }

    /** Makes a tree of a text. */
    private interface TreeReader {
        JsonNode read(String text) throws IOException;
    }

    private static JsonNode read(ByteBuffer body, TreeReader reader) {
        try {
            // Jackson's own decoder lets some malformed UTF-8 pass.
            return reader.read(
                    StandardCharsets.UTF_8.newDecoder().decode(body.duplicate()).toString());
        } catch (CharacterCodingException e) {
            throw ProblemException.badRequest("the body is not UTF-8");
        } catch (JsonProcessingException e) {
            throw ProblemException.badRequest(
                    "the body is not JSON as it is read here: " + JsonObject.shown(e.getOriginalMessage()));
        } catch (NumberFormatException e) { // an exponent beyond all numbers, which the JDK refuses behind Jackson
            throw ProblemException.badRequest("the body has a number that is beyond all numbers");
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory can be read", e);
        }
    }

    /**
     * Returns whether bytes are one JSON value as it is read here, but for repeated names, which are not looked for.
     * Makes no tree and keeps no copy: a tree takes up to fifty times as much memory.
     *
     * @param utf8 valid UTF-8; the buffer's position stays
     */
    public static boolean isValue(ByteBuffer utf8) {
        try (JsonParser from = PASSING.createParser(
                new InputStreamReader(new ByteBufferBackedInputStream(utf8.duplicate()), StandardCharsets.UTF_8))) {
            int depth = 0;
            boolean isOver = false;
            for (JsonToken token = from.nextToken(); token != null; token = from.nextToken()) {
                if (isOver) {
                    return false;
                }
                if (token.isNumeric()) {
                    requirePossible(from.getText());
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                isOver = depth == 0;
            }
            return isOver;
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }

    /** Returns whether bytes are valid UTF-8. Keeps nothing of them. The buffer's position stays. */
    public static boolean isUtf8(ByteBuffer bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer left = bytes.duplicate();
        CharBuffer some = CharBuffer.allocate(Math.min(bytes.remaining() + 1, DECODED_AT_ONCE));
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            result = decoder.decode(left, some.clear(), true);
        }
        return result.isUnderflow();
    }

    /** Refuses an exponent beyond all numbers: it would make readers refuse everything around it. */
    static void requirePossible(String number) {
        if (number.indexOf('e') >= 0 || number.indexOf('E') >= 0) {
            var unused = new BigDecimal(number);
        }
    }

    /** Returns the beginning of a client's text: an answer must not be as large as its request. */
    public static String shown(String text) {
        return JsonObject.shown(text);
    }

    /** Reads an object that is in a file of the server's own. */
    public static ObjectNode readFile(InputStream file) throws IOException {
        return (ObjectNode) MAPPER.readTree(file);
    }

    /** Returns a record as a tree: a field for each component, in their order, except for empty ones. */
    public static ObjectNode tree(Record record) {
        return RecordJson.tree(record);
    }

    /** Returns a list of records or of plain values as a tree. */
    public static ArrayNode tree(List<?> all) {
        return RecordJson.list(all);
    }

    /** Returns a tree as JSON. For a tree that may be large, use {@link JsonFields}. */
    public static byte[] write(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (IOException e) {
            throw new IllegalStateException("a tree can be written", e);
        }
    }
}
