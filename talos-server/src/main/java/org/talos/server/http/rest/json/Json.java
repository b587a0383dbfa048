// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
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
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * JSON as the server reads and writes it. What it reads is UTF-8: one value, at most 32 levels deep, without duplicate
 * names.
 *
 * <p>Thread-safe.
 */
public final class Json {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER_CHARACTERS = 100;

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(MAX_DEPTH)
            .maxNumberLength(MAX_NUMBER_CHARACTERS)
            .maxStringLength(Integer.MAX_VALUE) // the body is bounded already
            .build();

    private static final JsonFactory PASSING = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES) // it keeps what clients make up
            .streamReadConstraints(CONSTRAINTS)
            .build();

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .streamReadConstraints(CONSTRAINTS)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES) // numbers go on as they came
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
        try {
            // Jackson's own decoder lets some malformed UTF-8 pass.
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(body.duplicate()).toString();
            return MAPPER.readTree(text);
        } catch (CharacterCodingException e) {
            throw ProblemException.badRequest("the body is not UTF-8");
        } catch (JsonProcessingException e) {
            throw ProblemException.badRequest(
                    "the body is not JSON as it is read here: " + JsonObject.shown(e.getOriginalMessage()));
        } catch (NumberFormatException e) { // an exponent beyond all numbers, which the JDK refuses behind Jackson
            throw ProblemException.badRequest("the body has a number that is beyond all numbers");
        }
    }

    /**
     * Any JSON value as it goes on: on one line, and without a tree, which takes up to fifty times as much memory.
     *
     * @param text of the value
     * @return empty if it is none as it is read here, but for repeated names, which are not looked for
     */
    public static Optional<JsonNode> passedOn(String text) {
        ByteArrayOutputStream line = new ByteArrayOutputStream(text.length()); // where half a surrogate pair is escaped
        try (JsonParser from = PASSING.createParser(text);
                JsonGenerator to = PASSING.createGenerator(line, JsonEncoding.UTF8)) {
            int depth = 0;
            boolean isOver = false;
            for (JsonToken token = from.nextToken(); token != null; token = from.nextToken()) {
                if (isOver) {
                    return Optional.empty();
                }
                if (token.isNumeric()) {
                    to.writeNumber(number(from.getText()));
                } else {
                    to.copyCurrentEvent(from);
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                isOver = depth == 0;
            }
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
        return line.size() == 0
                ? Optional.empty()
                : Optional.of(
                        JsonNodeFactory.instance.rawValueNode(new RawValue(line.toString(StandardCharsets.UTF_8))));
    }

    /** A number as it came; an exponent beyond all numbers would make readers refuse all that it stands among. */
    private static String number(String text) {
        if (text.indexOf('e') >= 0 || text.indexOf('E') >= 0) {
            var unused = new BigDecimal(text);
        }
        return text;
    }

    public static byte[] write(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (IOException e) {
            throw new IllegalStateException("a tree can be written", e);
        }
    }

    /** A value that writes itself, in place of a tree that holds a copy of all it is made of. */
    @FunctionalInterface
    public interface Content {
        void write(JsonGenerator to) throws IOException;
    }

    public static byte[] write(Content content) {
        List<byte[]> pieces = written(content);
        if (pieces.size() == 1) {
            return pieces.get(0);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream(
                pieces.stream().mapToInt(piece -> piece.length).sum());
        pieces.forEach(all::writeBytes);
        return all.toByteArray();
    }

    /** What the content writes, as buffers in their order: what is large is not copied together. */
    public static List<ByteBuffer> pieces(Content content) {
        return written(content).stream().map(ByteBuffer::wrap).toList();
    }

    private static List<byte[]> written(Content content) {
        Pieces pieces = new Pieces();
        try (JsonGenerator to = MAPPER.getFactory().createGenerator(pieces, JsonEncoding.UTF8)) {
            to.setRootValueSeparator(null); // who writes several values writes what is between them
            content.write(to);
        } catch (IOException e) {
            throw new IllegalStateException("memory can be written", e);
        }
        return pieces.all;
    }

    /** Keeps what a generator hands over each time that its own buffer is full, and at the end. Confined. */
    private static final class Pieces extends OutputStream {
        private final List<byte[]> all = new ArrayList<>(2);

        @Override
        public void write(int single) {
            all.add(new byte[] {(byte) single});
        }

        @Override
        public void write(byte[] buffer, int offset, int length) {
            all.add(Arrays.copyOfRange(buffer, offset, offset + length));
        }
    }
}
