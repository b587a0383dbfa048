// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * JSON as the server reads and writes it. What it reads is UTF-8: one value, at most 32 levels deep, without duplicate
 * names.
 *
 * <p>Thread-safe.
 */
public final class Json {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER_CHARACTERS = 100;

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES) // it keeps what clients make up
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxNumberLength(MAX_NUMBER_CHARACTERS)
                            .maxStringLength(Integer.MAX_VALUE) // the body is bounded already
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES) // numbers go on as they came
            .build();

    /** Bytes of memory for each byte of JSON while it is read: as text, as a tree and as messages. */
    public static final int COPIES = 8;

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

    public static byte[] write(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (IOException e) {
            throw new IllegalStateException("a tree can be written", e);
        }
    }
}
